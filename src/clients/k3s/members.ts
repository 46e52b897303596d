export interface EtcdMember {
  /** A number that JavaScript cannot hold, as text. */
  id: string;
  /** The node's name and eight hex digits; empty until it has started. */
  name: string;
  peerUrls: string[];
  clientUrls: string[];
  /** It has no vote yet. */
  isLearner: boolean;
}

interface WireMember {
  ID?: string;
  name?: string;
  peerURLs?: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

/** Undefined for a text that lists no members. */
export function readMembers(text: string): EtcdMember[] | undefined {
  // Ids take up to 64 bits: as numbers they would be rounded.
  const exact = text.replaceAll(/"ID":\s*(\d+)/g, '"ID":"$1"');
  try {
    const { members } = JSON.parse(exact) as { members?: WireMember[] };
    return members?.map((member) => ({
      id: member.ID ?? "0",
      name: member.name ?? "",
      peerUrls: member.peerURLs ?? [],
      clientUrls: member.clientURLs ?? [],
      isLearner: member.isLearner ?? false,
    }));
  } catch {
    return undefined;
  }
}

/** A value of Terraform's language. */
export type TerraformValue = string | number | boolean | TerraformExpression | readonly TerraformValue[];

/** Written as it stands, without quotes: `var.proxmox_token`. */
export interface TerraformExpression {
  expression: string;
}

/** A block of Terraform's language. What is undefined is left out; the rest is written in this order. */
export interface TerraformBlock {
  type: string;
  labels?: readonly string[];
  /** Stands above it, a line each. */
  comments?: readonly string[];
  attributes?: Readonly<Record<string, TerraformValue | undefined>>;
  blocks?: readonly TerraformBlock[];
}

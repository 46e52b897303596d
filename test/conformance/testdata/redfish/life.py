"""Switches a machine on and off through its controller, once with DMTF's client and once with OpenStack's."""
import os
import sys

import redfish
import sushy

url, ca = os.environ["BMC_URL"], os.environ["BMC_CA"]
user, password = os.environ["BMC_USER"], os.environ["BMC_PASSWORD"]


def dmtf():
    client = redfish.redfish_client(base_url=url, username=user, password=password, cafile=ca, max_retry=1)
    client.login(auth="session")
    member = client.get("/redfish/v1/Systems").dict["Members"][0]["@odata.id"]
    system = client.get(member).dict
    print("before", system["PowerState"])
    target = system["Actions"]["#ComputerSystem.Reset"]["target"]
    answer = client.post(target, body={"ResetType": "On"})
    print("answer", answer.status)
    print("after", client.get(member).dict["PowerState"])
    refused = client.post(target, body={"ResetType": "Dance"})
    print("refused", refused.status, refused.dict["error"]["code"])
    client.logout()


def openstack():
    root = sushy.Sushy(url, username=user, password=password, verify=ca)
    [system] = root.get_system_collection().get_members()
    print("before", system.power_state.value)
    system.reset_system(sushy.RESET_FORCE_OFF)
    system.refresh(force=True)
    print("after", system.power_state.value)
    print("may", ", ".join(sorted(str(kind.value) for kind in system.get_allowed_reset_system_values())))


{"dmtf": dmtf, "openstack": openstack}[sys.argv[1]]()

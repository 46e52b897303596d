// Stands in for flanneld on a flat network: writes the node's own pod range down for the CNI plugin, and keeps routes
// to the pod ranges of the other nodes. The current flannel is on no module mirror.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

const (
	account    = "/var/run/secrets/kubernetes.io/serviceaccount/"
	subnetFile = "/run/flannel/subnet.env"
	podNetwork = "10.244.0.0/16"
)

type node struct {
	Metadata struct{ Name string }
	Spec     struct{ PodCIDR string }
	Status   struct {
		Addresses []struct{ Type, Address string }
	}
}

func main() {
	for {
		if err := round(); err != nil {
			log.Print(err)
		}
		time.Sleep(5 * time.Second)
	}
}

func round() error {
	var pod struct{ Spec struct{ NodeName string } }
	if err := get("/api/v1/namespaces/"+os.Getenv("POD_NAMESPACE")+"/pods/"+os.Getenv("POD_NAME"), &pod); err != nil {
		return err
	}
	var nodes struct{ Items []node }
	if err := get("/api/v1/nodes", &nodes); err != nil {
		return err
	}
	for _, each := range nodes.Items {
		switch {
		case each.Spec.PodCIDR == "":
		case each.Metadata.Name == pod.Spec.NodeName:
			if err := writeSubnet(each.Spec.PodCIDR); err != nil {
				return err
			}
		default:
			routeTo(each)
		}
	}
	return nil
}

func writeSubnet(cidr string) error {
	wanted := fmt.Sprintf("FLANNEL_NETWORK=%s\nFLANNEL_SUBNET=%s\nFLANNEL_MTU=1500\nFLANNEL_IPMASQ=true\n", podNetwork, cidr)
	if written, _ := os.ReadFile(subnetFile); string(written) == wanted {
		return nil
	}
	log.Print("own range ", cidr)
	return os.WriteFile(subnetFile, []byte(wanted), 0o644)
}

func routeTo(other node) {
	for _, address := range other.Status.Addresses {
		if address.Type != "InternalIP" {
			continue
		}
		out, err := exec.Command("/bin/busybox", "ip", "route", "replace", other.Spec.PodCIDR, "via", address.Address).CombinedOutput()
		if err != nil {
			log.Print(string(out), err)
		}
		return
	}
}

func get(path string, into any) error {
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	server := net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	request, err := http.NewRequest(http.MethodGet, "https://"+server+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, body)
	}
	return json.Unmarshal(body, into)
}

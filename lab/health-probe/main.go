// Health of objects as Flux and Argo CD see it, by their own code: kstatus and the expressions of a Kustomization for Flux,
// the Lua of resource.customizations for Argo CD. One request on standard input, one answer on standard output, both JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type request struct {
	Flux    kustomize.HealthCheckExpressions `json:"flux"`
	Argo    string                           `json:"argo"`
	Objects []json.RawMessage                `json:"objects"`
}

type answer struct {
	Name    string `json:"name"`
	Kstatus string `json:"kstatus"`
	Flux    string `json:"flux"`
	Argo    string `json:"argo"`
	// What Argo CD shows beside it.
	Message string `json:"message"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	flux, err := cel.NewStatusEvaluator(&asked.Flux)
	if err != nil {
		return err
	}
	answers := []answer{}
	for _, each := range asked.Objects {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(each); err != nil {
			return err
		}
		found, err := ask(object, flux, asked.Argo)
		if err != nil {
			return fmt.Errorf("%s: %w", object.GetName(), err)
		}
		answers = append(answers, found)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func ask(object *unstructured.Unstructured, flux *cel.StatusEvaluator, script string) (answer, error) {
	plain, err := status.Compute(object)
	if err != nil {
		return answer{}, err
	}
	byExpressions, err := flux.Evaluate(context.Background(), object)
	if err != nil {
		return answer{}, err
	}
	kind := object.GroupVersionKind()
	machine := lua.VM{ResourceOverrides: map[string]v1alpha1.ResourceOverride{
		kind.Group + "/" + kind.Kind: {HealthLua: script},
	}}
	health, err := machine.ExecuteHealthLua(object, script)
	if err != nil {
		return answer{}, err
	}
	return answer{
		Name:    object.GetName(),
		Kstatus: plain.Status.String(),
		Flux:    byExpressions.Status.String(),
		Argo:    string(health.Status),
		Message: health.Message,
	}, nil
}

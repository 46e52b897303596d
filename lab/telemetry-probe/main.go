// A small user of the parsers that Prometheus and the OpenTelemetry collector have, for the tests that hold what the
// controller writes against them. It reads standard input and prints what it understood as JSON.
// Usage: telemetry-probe metrics|traces|rules|expressions <FILE
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func main() {
	stages := map[string]func(io.Reader) (any, error){
		"metrics": readMetrics, "traces": readTraces, "rules": readRules, "expressions": readExpressions,
	}
	stage, isKnown := stages[os.Args[len(os.Args)-1]]
	if !isKnown {
		fail(fmt.Errorf("say one of metrics, traces, rules, expressions"))
	}
	found, err := stage(os.Stdin)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type family struct {
	Type    string   `json:"type"`
	Help    string   `json:"help"`
	Metrics []metric `json:"metrics"`
}

type metric struct {
	Labels  map[string]string `json:"labels"`
	Value   *float64          `json:"value,omitempty"`
	Count   *uint64           `json:"count,omitempty"`
	Sum     *float64          `json:"sum,omitempty"`
	Buckets map[string]uint64 `json:"buckets,omitempty"`
}

func readMetrics(in io.Reader) (any, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(in)
	if err != nil {
		return nil, err
	}
	found := map[string]family{}
	for name, each := range families {
		read := family{Type: each.GetType().String(), Help: each.GetHelp()}
		for _, one := range each.GetMetric() {
			read.Metrics = append(read.Metrics, metricOf(one))
		}
		found[name] = read
	}
	return found, nil
}

func metricOf(one *dto.Metric) metric {
	read := metric{Labels: map[string]string{}}
	for _, label := range one.GetLabel() {
		read.Labels[label.GetName()] = label.GetValue()
	}
	switch {
	case one.Counter != nil:
		read.Value = one.Counter.Value
	case one.Gauge != nil:
		read.Value = one.Gauge.Value
	case one.Histogram != nil:
		read.Count, read.Sum = one.Histogram.SampleCount, one.Histogram.SampleSum
		read.Buckets = map[string]uint64{}
		for _, bucket := range one.Histogram.GetBucket() {
			read.Buckets[fmt.Sprint(bucket.GetUpperBound())] = bucket.GetCumulativeCount()
		}
	}
	return read
}

type span struct {
	Trace      string         `json:"trace"`
	Span       string         `json:"span"`
	Parent     string         `json:"parent"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	StartNano  uint64         `json:"startNano,string"`
	EndNano    uint64         `json:"endNano,string"`
	Status     string         `json:"status"`
	Message    string         `json:"message"`
	Attributes map[string]any `json:"attributes"`
	Events     []string       `json:"events"`
	Resource   map[string]any `json:"resource"`
	Scope      string         `json:"scope"`
}

// The request as a collector's OTLP/HTTP receiver decodes it: identifiers as hexadecimal, unlike other protobuf JSON.
func readTraces(in io.Reader) (any, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	found := []span{}
	resources := request.Traces().ResourceSpans()
	for r := 0; r < resources.Len(); r++ {
		scopes := resources.At(r).ScopeSpans()
		for s := 0; s < scopes.Len(); s++ {
			spans := scopes.At(s).Spans()
			for n := 0; n < spans.Len(); n++ {
				one := spans.At(n)
				trace, id, parent := one.TraceID(), one.SpanID(), one.ParentSpanID()
				read := span{
					Trace: hex.EncodeToString(trace[:]), Span: hex.EncodeToString(id[:]), Parent: parentText(parent),
					Name: one.Name(), Kind: one.Kind().String(),
					StartNano: uint64(one.StartTimestamp()), EndNano: uint64(one.EndTimestamp()),
					Status: one.Status().Code().String(), Message: one.Status().Message(),
					Attributes: one.Attributes().AsRaw(), Events: []string{},
					Resource: resources.At(r).Resource().Attributes().AsRaw(), Scope: scopes.At(s).Scope().Name(),
				}
				for e := 0; e < one.Events().Len(); e++ {
					read.Events = append(read.Events, one.Events().At(e).Name())
				}
				found = append(found, read)
			}
		}
	}
	return found, nil
}

func parentText(id pcommon.SpanID) string {
	if id.IsEmpty() {
		return ""
	}
	return hex.EncodeToString(id[:])
}

// A registry that is only read, over the folder that lay-out-images.sh makes. Usage: registry FOLDER ADDRESS:PORT
package main

import (
	"crypto/sha256"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	folder := os.Args[1]
	http.HandleFunc("/v2/", func(answer http.ResponseWriter, request *http.Request) {
		asked := strings.TrimPrefix(request.URL.Path, "/v2/")
		if asked == "" {
			return
		}
		if name, tag, ok := strings.Cut(asked, "/manifests/"); ok {
			serveManifest(answer, request, filepath.Join(folder, "manifests", filepath.Clean("/"+name), filepath.Base(tag)))
			return
		}
		answer.Header().Set("Content-Type", "application/octet-stream")
		http.ServeFile(answer, request, filepath.Join(folder, "blobs", filepath.Base(asked)))
	})
	log.Fatal(http.ListenAndServe(os.Args[2], nil))
}

func serveManifest(answer http.ResponseWriter, request *http.Request, file string) {
	manifest, err := os.ReadFile(file)
	if err != nil {
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(http.StatusNotFound)
		fmt.Fprint(answer, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"not here"}]}`)
		return
	}
	answer.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
	answer.Header().Set("Docker-Content-Digest", fmt.Sprintf("sha256:%x", sha256.Sum256(manifest)))
	http.ServeContent(answer, request, "", time.Time{}, strings.NewReader(string(manifest)))
}

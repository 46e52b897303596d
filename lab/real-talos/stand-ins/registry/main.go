// A registry that is only read, over folders that lay-out-images.sh makes: what is in several of them comes from the first.
// Usage: registry FOLDER… ADDRESS:PORT
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
	last := len(os.Args) - 1
	folders := os.Args[1:last]
	http.HandleFunc("/v2/", func(answer http.ResponseWriter, request *http.Request) {
		asked := strings.TrimPrefix(request.URL.Path, "/v2/")
		if asked == "" {
			return
		}
		if name, tag, ok := strings.Cut(asked, "/manifests/"); ok {
			serveManifest(answer, request, find(folders, filepath.Join("manifests", filepath.Clean("/"+name), filepath.Base(tag))))
			return
		}
		answer.Header().Set("Content-Type", "application/octet-stream")
		http.ServeFile(answer, request, find(folders, filepath.Join("blobs", filepath.Base(asked))))
	})
	log.Fatal(http.ListenAndServe(os.Args[last], nil))
}

// Of a file that no folder has, the path in the last: whoever opens it says that it is not there.
func find(folders []string, name string) string {
	file := ""
	for _, folder := range folders {
		file = filepath.Join(folder, name)
		if _, err := os.Stat(file); err == nil {
			break
		}
	}
	return file
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

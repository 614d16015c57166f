// Receives callbacks of SlipTrail. To start it:
//
//	WEBHOOK_SECRETS=whsec_… INBOX=/tmp/inbox PORT=8000 go run receive.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance = 5 * time.Minute
	maxBytes  = 1 << 20
)

var uuid = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// webhookKeys returns the keys of the valid secrets. During a rotation WEBHOOK_SECRETS holds two, separated by a space.
func webhookKeys() [][]byte {
	var keys [][]byte
	for _, secret := range strings.Fields(os.Getenv("WEBHOOK_SECRETS")) {
		encoded := strings.TrimPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || encoded == secret || len(key) < 24 {
			log.Fatal("WEBHOOK_SECRETS must contain only secrets whsec_…")
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		log.Fatal("WEBHOOK_SECRETS must contain a secret whsec_…")
	}
	return keys
}

// isGenuine reports whether one of the keys signed exactly these bytes, in the last five minutes.
func isGenuine(body []byte, header http.Header, keys [][]byte) bool {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if age := time.Since(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return false
	}
	genuine := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Split(header.Get("Webhook-Signature"), " ") {
			genuine = hmac.Equal([]byte(expected), []byte(signature)) || genuine
		}
	}
	return genuine
}

// store stores a callback for later work. A repeated callback has the same bytes and replaces the file.
func store(jobID string, body []byte) error {
	inbox := os.Getenv("INBOX")
	temporary, err := os.CreateTemp(inbox, jobID+".json.*")
	if err != nil {
		return err
	}
	if _, err := temporary.Write(body); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), filepath.Join(inbox, jobID+".json"))
}

func answerTo(response http.ResponseWriter, request *http.Request, keys [][]byte) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	if !isGenuine(body, request.Header, keys) {
		return http.StatusUnauthorized
	}
	var callback struct {
		JobID string `json:"jobId"`
	}
	if err := json.Unmarshal(body, &callback); err != nil || !uuid.MatchString(callback.JobID) {
		return http.StatusBadRequest
	}
	if err := store(callback.JobID, body); err != nil {
		// An error of the receiver: with 500 the callback is sent again.
		log.Print(err)
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

func main() {
	keys := webhookKeys()
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	server := http.Server{
		Addr:        "127.0.0.1:" + port,
		ReadTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			response.WriteHeader(answerTo(response, request, keys))
		}),
	}
	log.Fatal(server.ListenAndServe())
}

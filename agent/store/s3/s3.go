package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// maxBody is the size of the largest object that is read, in bytes: a text of 32 MiB, compressed badly.
const maxBody = 48 << 20

// Options say where a [Bucket] is.
type Options struct {
	Endpoint string // URL of the service: https://s3.eu-central-1.amazonaws.com
	Bucket   string // must exist
	Prefix   string // of the names of objects, such as "foray/"; may be empty
	Region   string // "": the service says it

	// AccessKey and SecretKey are the credentials; if both are empty, they are taken from the environment
	// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), or from the machine's role.
	AccessKey, SecretKey string

	AllowHTTP bool          // allow an endpoint without TLS on another machine: texts travel in the clear
	Timeout   time.Duration // of one request with its retries; 0: 30 s
	Retries   int           // of a request that failed; 0: 3, -1: none
}

// A Bucket is a [session.BodyStore] in a bucket.
type Bucket struct {
	client  *minio.Client
	options Options
}

var _ session.BodyStore = (*Bucket)(nil)

// Open checks that the bucket can be reached and exists.
func Open(ctx context.Context, o Options) (*Bucket, error) {
	at, err := url.Parse(o.Endpoint)
	switch {
	case err != nil:
		return nil, fmt.Errorf("s3: endpoint: %w", err)
	case at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return nil, fmt.Errorf("s3: the endpoint %q is not a URL like https://s3.example.com", o.Endpoint)
	case at.Scheme == "http" && !o.AllowHTTP && !loopback(at.Hostname()):
		return nil, fmt.Errorf("s3: %s has no TLS: use https, or set AllowHTTP", o.Endpoint)
	}
	o.Timeout, o.Retries = cmp.Or(o.Timeout, 30*time.Second), cmp.Or(o.Retries, 3)
	keys := credentials.NewStaticV4(o.AccessKey, o.SecretKey, "")
	if o.AccessKey == "" && o.SecretKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}})
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: keys, Secure: at.Scheme == "https", Region: o.Region, MaxRetries: max(o.Retries, 0) + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	b := &Bucket{client, o}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	exists, err := client.BucketExists(ctx, o.Bucket)
	if err != nil {
		return nil, fmt.Errorf("s3: bucket %q at %s: %w", o.Bucket, o.Endpoint, err)
	}
	if !exists {
		return nil, fmt.Errorf("s3: bucket %q does not exist at %s: create it first", o.Bucket, o.Endpoint)
	}
	return b, nil
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// name is the name of an object. Its first letters differ, since services spread the load by them.
func (b *Bucket) name(hash [sha256.Size]byte) string {
	sum := hex.EncodeToString(hash[:])
	return b.options.Prefix + sum[:2] + "/" + sum
}

// PutBody implements [session.BodyStore].
func (b *Bucket) PutBody(ctx context.Context, hash [sha256.Size]byte, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	name := b.name(hash)
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true, SendContentMd5: true}
	_, err := b.client.PutObject(ctx, b.options.Bucket, name, bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		return fmt.Errorf("s3: writing %s/%s: %w", b.options.Bucket, name, err)
	}
	return nil
}

// GetBody implements [session.BodyStore].
func (b *Bucket) GetBody(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	name := b.name(hash)
	object, err := b.client.GetObject(ctx, b.options.Bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.explain(name, err)
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, maxBody+1))
	switch {
	case err != nil:
		return nil, b.explain(name, err)
	case len(data) > maxBody:
		return nil, fmt.Errorf("s3: %s/%s has over %d bytes: it is not a text of a session", b.options.Bucket, name, maxBody)
	}
	return data, nil
}

// explain says which object could not be read, and returns [session.ErrNoBody] if it does not exist.
func (b *Bucket) explain(name string, err error) error {
	var answer minio.ErrorResponse
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket {
		return fmt.Errorf("s3: %w: %s/%s at %s", session.ErrNoBody, b.options.Bucket, name, b.options.Endpoint)
	}
	return fmt.Errorf("s3: reading %s/%s: %w", b.options.Bucket, name, err)
}

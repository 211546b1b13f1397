// Package s3 keeps the large texts of sessions in a bucket, over the API of S3: Amazon's, or that of MinIO, Ceph,
// SeaweedFS, Garage, R2. It is a module of its own: who does not import it does not download its client.
//
// Start with [Open], and give the [Bucket] to a database as its session.BodyStore.
//
// # What it guarantees
//
// A text is an object, named by its SHA-256 and written whole or not at all. The upload carries the MD5 of its
// bytes, which every service compares. Whoever reads a text compares it with its name, so that neither a garbled
// object nor another one is taken for it. Several databases may share a bucket, each with a prefix of its own or all
// with one.
//
// Nothing is ever deleted: an object may be the text of a session that another process is adding right now. A rule of
// the bucket that deletes objects by age has to allow more time than the oldest session that is still used.
package s3

// Package toollimit counts tokens and cuts a text of a given kind to its room without breaking its form.
package toollimit

// Package jsontext shortens a JSON value inside, so that it stays valid: fewer elements, shorter strings,
// fewer levels.
//
// Start with [Parse], then let a [Renderer] write the [Document] at one [Level] after another until the
// text fits.
package jsontext

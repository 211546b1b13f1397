//go:build race

package contextbuilder_test

// slack is how much slower everything is with the race detector.
const slack = 20

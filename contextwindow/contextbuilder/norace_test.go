//go:build !race

package contextbuilder_test

// slack is for machines that are busy.
const slack = 1

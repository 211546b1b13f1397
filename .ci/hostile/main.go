// Hostile serves the attacks of package providertest, for soaks and for trying them by hand:
//
//	go run ./.ci/hostile                  # list the attacks, and serve them on 127.0.0.1:9911
//	foray explore --model openai/endless-text --base-url http://127.0.0.1:9911/v1 "question"
//	go run ./.ci/hostile -table FILE      # print what make test-attack collected
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/providers/providertest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9911", "address to serve on")
	table := flag.String("table", "", "print the rows of attacks in `FILE` as a table")
	flag.Parse()
	if *table != "" {
		rows, err := os.Open(*table)
		if err == nil {
			err = attacktable.Print(os.Stdout, rows)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	server := new(providertest.Hostile)
	names, does := server.Attacks()
	for i, name := range names {
		fmt.Printf("%-18s %s\n", name, does[i])
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("serving on http://%s/v1\n", listener.Addr())
	log.Fatal(http.Serve(listener, server))
}

module github.com/forayhq/foray

go 1.26.0

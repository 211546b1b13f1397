package pages

import "testing"

func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		question, topic string
		need            float64
	}{
		{"how do I install express?", "install express", needHowTo},
		{"Hi, could you please tell me how to run the tests, thanks!", "run the tests", needHowTo},
		{"hwo can we contribute to this project", "contribute", needHowTo},
		{"how is sidekiq installed?", "sidekiq installed", needHowTo},
		{"what is the best way to deploy with docker", "deploy with docker", needHowTo},
		{"i want to add a theme", "add a theme", needHowTo},
		{"where is rate limiting documented?", "rate limiting", needDocs},
		{"what do the docs say about prebuilt binaries", "prebuilt binaries", needDocs},
		{"documentation on \"core middlewares\"", "core middlewares", needDocs},
		{"session handling docs", "session handling", needDocs},
		{"Wie kann ich das Projekt bauen?", "Projekt bauen", needHowTo},
		{"wie installiere ich die Gems?", "Gems", needHowTo},
		{"Wo ist „Use Cases“ dokumentiert?", "Use Cases", needDocs},
		{"Was sagt die Doku zu Plugins?", "Plugins", needDocs},
		{"怎么 Contributing？", "Contributing", needHowTo},
		{"请问如何安装？", "安装", needHowTo},
		{"文档里怎么说 Use Cases", "Use Cases", needDocs},
		{"tell me about quick start", "quick start", needAbout},
		{"how does graceful shutdown work?", "graceful shutdown", needAbout},
		{"Why is it called Jinja?", "Why is it called Jinja", needTitle},
		// names of code stay questions about code
		{"how does parseQuestion work?", "", 0},
		{"how does read_file work", "", 0},
		{"tell me about Window.Fit", "", 0},
		{"what is http.Handler?", "", 0},
		{"where is `Window.Fit` and the parser", "", 0},
		{"", "", 0},
		{"echo", "", 0},
		{"panic: boom\ngoroutine 1", "", 0},
	} {
		got, ok := Ask(tt.question)
		if want := tt.topic != ""; ok != want && want || ok && (got.Text != tt.topic || got.need != tt.need) {
			t.Errorf("%q: %+v, %v; want %q, %v", tt.question, got, ok, tt.topic, tt.need)
		}
	}
}

package terms

import (
	"regexp"
	"strings"
)

// german maps programmers' terms in German, without their endings, to the words that code and documents use.
var german = pairs(`
konfiguration config, konfigurier configure, einstellung setting, einstell set, fehler error, fehlermeldung error
message, meldung message, nachricht message, warnung warning, ausnahme exception, anfrage request, antwort
response, verbindung connection, verbind connect, zeitüberschreitung timeout, datei file, verzeichnis directory,
ordner directory, pfad path, datenbank database, abfrage query, tabelle table, schlüssel key, wert value, benutzer
user, nutzer user, passwort password, kennwort password, anmeldung login, anmeld login, berechtigung permission,
verschlüssel encrypt, entschlüssel decrypt, signatur signature, unterschreib sign, zertifikat certificate,
zwischenspeicher cache, speicher memory, speicher store, lad load, lies read, les read, schreib write, lösch
delete, entfern remove, füg add, hinzufüg add, erstell create, anleg create, erzeug create, änder change, ersetz
replace, umbenenn rename, aktualisier update, install install, installier install, deinstallier uninstall, bau
build, baue build, kompilier compile, test test, teste test, starte start, start start, stopp stop, beend exit,
ausführ run, führ run, veröffentlich publish, bereitstell deploy, eigen custom, eigene custom, eigenen custom,
sprache language, thema theme, vorlage template, beispiel example, dokumentation documentation, anleitung guide,
befehl command, befehlszeile command line, kommandozeile command line, option option, schalter flag, parameter
parameter, argument argument, funktion function, methode method, klasse class, schnittstelle interface, typ type,
variable variable, konstante constant, modul module, paket package, bibliothek library, abhängigkeit dependency,
erweiterung extension, plugin plugin, protokoll log, protokollier log, ausgabe output, ausgeb print, eingabe input,
druck print, zeig show, anzeig display, farbe color, zeile line, spalte column, zeichen character, zeichenkette
string, text text, liste list, such search, suche search, find find, filter filter, sortier sort, zähl count, prüf
check, überprüf check, validier validate, vergleich compare, berechn compute, zufäll random, rundung round, format
format, formatier format, umwandl convert, konvertier convert, analysier parse, zerleg parse, serialisier
serialize, hochlad upload, herunterlad download, send send, sende send, empfang receive, empfäng receiver,
weiterleitung redirect, umleitung redirect, umleit redirect, wiederhol retry, versuch attempt, abbrech cancel,
abbruch cancel, grenze limit, begrenz limit, höchst max, maximal max, minimal min, größe size, länge length, anzahl
number, dauer duration, zeit time, datum date, reihenfolge order, priorität priority, ereignis event, rückruf
callback, strom stream, streame stream, thread thread, prozess process, warteschlange queue, aufgabe task, sitzung
session, seite page, ansicht view, bild image, schrift font, fenster window, netzwerk network, server server,
dienst service, anwendung application, kopf header, kopfzeile header, weg route, gruppe group, mitglied member,
version version, lizenz license, beitrag contribution, beitrag contribute, beitrage contribute, beitragen
contribute, mitmach contribute, geheimnis secret, ignorier ignore, ausschließ exclude, einbind include, aktivier
enable, deaktivier disable, schließ close, öffn open, verhinder prevent, behandl handle, behandelt handle,
verarbeit process, registrier register, definier define, gesetzt set, gelesen read, geschrieben write, geladen
load, gelöscht delete, gesendet send, geparst parse, gefunden find, aufgebaut connect, abgelaufen expired, ungültig
invalid, gültig valid, leer empty, fehlend missing, doppelt duplicate, gleichzeitig concurrent, mehrere multiple,
standard default`)

// germanStops say nothing about the subject of a question.
var germanStops = wordSet(`
wie wo wer was wann warum wieso weshalb womit wodurch woher wohin wozu welche welcher welches welchen welchem der
die das den dem des ein eine einen einem einer eines kein keine ist sind war wird werden wurde kann können könnte
muss müssen soll sollte darf würde ich du er sie es wir ihr man mir mich uns euch bitte mal denn eigentlich genau
hier da dort dies diese dieser dieses diesem und oder aber wenn falls ob dass damit um zu zum zur von vom mit ohne
für gegen bei beim nach vor aus auf an am in im ins über unter durch bis seit als auch nur noch schon nicht nichts
alle alles gibt geht gehen macht machen mache tut tun funktioniert funktionieren verwenden verwendet verwende
benutzen benutzt benutze nutzen nutzt nutze passiert geschieht hat haben habe sich selbst so dann projekt code repo
intern mein meine meinen beim jetzt lasse lassen lässt`)

// inGerman matches a word that only German has among those that open or carry a question.
var inGerman = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:wie|wo|wer|wann|warum|wieso|welche[rsnm]?|womit|wodurch|wird|` +
	`werden|ist|ich|kann|könn\pL*|muss|nicht|und|oder|eine[nrms]?|das|dem|für|über|bitte|beim|zum|zur|gibt|passiert|` +
	`funktioniert)(?:$|[^\pL])`)

// IsGerman reports whether a question is in German.
func IsGerman(text string) bool { return inGerman.MatchString(text) }

// germanEndings are what may follow a term of the table.
var germanEndings = []string{"", "e", "n", "en", "er", "es", "s", "t", "et", "te", "ung", "ungen", "end", "ern", "nen"}

// pairs reads "key value, key value": the value of each key, as one or more words.
func pairs(text string) map[string]string {
	all := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		if len(words) > 1 {
			all[words[0]] = strings.Join(words[1:], " ")
		}
	}
	return all
}

// German returns the English words for a word in lower case: none for one that says nothing. It reports false for a
// word that it does not know.
func German(w string) (english string, ok bool) {
	if germanStops[w] {
		return "", true
	}
	if english = germanTerm(w); english != "" {
		return english, true
	}
	for i := len(w) - 4; i >= 4; i-- { // a compound: Konfigurationsdatei
		head, tail := germanTerm(strings.TrimSuffix(w[:i], "s")), germanTerm(w[i:])
		if head != "" && tail != "" {
			return head + " " + tail, true
		}
	}
	return "", false
}

// germanTerm returns the English words for a term with any ending, or "".
func germanTerm(w string) string {
	if rest, ok := strings.CutPrefix(w, "ge"); ok && len(rest) > 4 && strings.HasSuffix(rest, "t") {
		if english := german[strings.TrimSuffix(rest, "t")]; english != "" {
			return english
		}
	}
	for _, ending := range germanEndings {
		if base, ok := strings.CutSuffix(w, ending); ok && german[base] != "" {
			return german[base]
		}
	}
	return ""
}

var germanWord = regexp.MustCompile(`[\pL]+(?:['’]s)?`)

// FromGerman returns a German text with the words of the table in English, and without words that say nothing.
func FromGerman(text string) string {
	return strings.Join(strings.Fields(germanWord.ReplaceAllStringFunc(text, func(w string) string {
		if english, ok := German(strings.ToLower(w)); ok {
			return english
		}
		return w
	})), " ")
}

func wordSet(words string) map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

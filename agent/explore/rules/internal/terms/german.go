package terms

import (
	"regexp"
	"strings"
)

// german maps programmers' terms in German, without their endings, to the words that code and documents use.
var german = pairs(`
konfiguration config, konfigurier configure, einstellung setting, einstell set, fehler error, fehlermeldung error
message, meldung message, nachricht message, warnung warning, ausnahme exception, anfrage request, antwort response,
verbindung connection, verbind connect, zeitüberschreitung timeout, datei file, verzeichnis directory, ordner
directory, pfad path, datenbank database, abfrage query, tabelle table, schlüssel key, wert value, benutzer user,
nutzer user, passwort password, kennwort password, anmeldung login, anmeld login, berechtigung permission,
verschlüssel encrypt, entschlüssel decrypt, signatur signature, unterschreib sign, zertifikat certificate,
zwischenspeicher cache, speicher memory, lad load, lies read, les read, schreib write, lösch delete, entfern remove,
füg add, hinzufüg add, erstell create, anleg create, erzeug create, änder change, ersetz replace, umbenenn rename,
aktualisier update, install install, installier install, deinstallier uninstall, bau build, baue build, kompilier
compile, test test, teste test, starte start, start start, stopp stop, beend exit, ausführ run, führ run,
veröffentlich publish, bereitstell deploy, eigen custom, eigene custom, eigenen custom, sprache language, thema theme,
vorlage template, beispiel example, dokumentation documentation, anleitung guide, befehl command, befehlszeile command
line, kommandozeile command line, option option, schalter flag, parameter parameter, argument argument, funktion
function, methode method, klasse class, schnittstelle interface, typ type, variable variable, konstante constant,
modul module, paket package, bibliothek library, abhängigkeit dependency, erweiterung extension, plugin plugin,
protokoll log, protokollier log, ausgabe output, ausgeb print, eingabe input, druck print, zeig show, anzeig display,
farbe color, zeile line, spalte column, zeichen character, zeichenkette string, text text, liste list, such search,
suche search, find find, filter filter, sortier sort, zähl count, prüf check, überprüf check, validier validate,
vergleich compare, berechn compute, zufäll random, rundung round, format format, formatier format, umwandl convert,
konvertier convert, analysier parse, zerleg parse, serialisier serialize, hochlad upload, herunterlad download, send
send, sende send, empfang receive, empfäng receiver, weiterleitung redirect, umleitung redirect, umleit redirect,
wiederhol retry, versuch attempt, abbrech cancel, abbruch cancel, grenze limit, begrenz limit, höchst max, maximal
max, minimal min, größe size, länge length, anzahl number, dauer duration, zeit time, datum date, reihenfolge order,
priorität priority, ereignis event, rückruf callback, strom stream, streame stream, thread thread, prozess process,
warteschlange queue, aufgabe task, sitzung session, seite page, ansicht view, bild image, schrift font, fenster
window, netzwerk network, server server, dienst service, anwendung application, kopf header, kopfzeile header, weg
route, gruppe group, mitglied member, version version, lizenz license, beitrag contribution, beitrage contribute,
beitragen contribute, mitmach contribute, geheimnis secret, ignorier ignore, ausschließ exclude, einbind include,
aktivier enable, deaktivier disable, schließ close, öffn open, verhinder prevent, behandl handle, behandelt handle,
verarbeit process, registrier register, definier define, gesetzt set, gelesen read, geschrieben write, geladen load,
gelöscht delete, gesendet send, geparst parse, gefunden find, aufgebaut connect, abgelaufen expired, ungültig invalid,
gültig valid, leer empty, fehlend missing, doppelt duplicate, gleichzeitig concurrent, mehrere multiple, standard
default, erlaub allow, verbiet forbid, verboten forbidden, reservier reserve, kontext context, wart wait, warte wait,
lauf run, läuft run, laufend running, häng hang, hängt hang, blockier block, sperr lock, sperre lock, entsperr unlock,
freigeb release, freigegeben release, freigabe release, erreich reach, überschreit exceed, überschritten exceed,
überlauf overflow, absturz crash, abstürz crash, stürz crash, schleife loop, rekursion recursion, rekursiv recursive,
ebene level, stufe level, tiefe depth, breite width, höhe height, teil part, verteil distribute, aufteil split, trenn
separate, getrennt separate, verbunden connect, zusammenführ merge, vereinig merge, kopier copy, kopie copy, verschieb
move, verschoben move, klon clone, merk remember, vergess forget, erinner remind, melde report, bericht report, wirf
throw, wirft throw, geworfen throw, werf throw, fang catch, fängt catch, gefangen catch, abfang catch, fehlschlag
fail, fehlgeschlagen fail, scheiter fail, gescheitert fail, gelingt succeed, erfolg success, erfolgreich success,
zurückgeb return, zurückgegeben return, rückgabe return, rückgabewert return value, ruf call, aufruf call, aufgerufen
call, gerufen call, übergeb pass, übergeben pass, angeb specify, angegeben specify, nenn name, genannt name, benannt
name, name name, bezeichner identifier, bezeichnung name, kennung id, nummer number, zahl number, feld field, element
element, eintrag entry, einträge entry, eintragen register, objekt object, instanz instance, eltern parent, wurzel
root, knoten node, kante edge, baum tree, zweig branch, blatt leaf, zeiger pointer, verweis reference, referenz
reference, index index, stapel stack, haufen heap, puffer buffer, kanal channel, signal signal, sperrung lock, faden
thread, nebenläufig concurrent, parallel parallel, gleichzeitigkeit concurrency, arbeiter worker, verzögerung delay,
verzöger delay, pause pause, unterbrech interrupt, unterbrochen interrupt, abgebrochen cancel, bricht cancel, beendet
exit, fertig done, endet end, ende end, anfang begin, beginn begin, beginnt begin, erste first, erster first, letzte
last, letzter last, nächste next, nächster next, vorherig previous, neue new, neuest newest, ältest oldest, größt
largest, kleinst smallest, höchstens most, mindestens least, verwirf discard, verworfen discard, verwerf discard,
wegwerf discard, behalt keep, behält keep, bewahr keep, erhalt get, frist deadline, ablauf flow, abläuf expire,
gültigkeit validity, lebensdauer lifetime, zeitstempel timestamp, zeitpunkt time, uhrzeit time, sekunde second, minute
minute, stunde hour, zwischenstand state, zustand state, status status, ereignisbehandlung event handling, auslös
trigger, ausgelöst trigger, abonnier subscribe, abonnent subscriber, veröffentlichung publish, kodier encode,
kodierung encoding, dekodier decode, entpack unpack, verpack pack, komprimier compress, kürz truncate, gekürzt
truncate, abschneid truncate, abgeschnitten truncate, umbruch wrap, einrück indent, einrückung indent, maskier escape,
ersetzung replacement, muster pattern, ausdruck expression, regulär regular, anweisung statement, vereinbarung
declaration, deklarier declare, zuweisung assignment, zugewiesen assign, bedingung condition, zähler counter, summe
sum, durchschnitt average, wahrscheinlich probability, gewicht weight, spalt column, bereich range, umfang scope,
gültigkeitsbereich scope, sichtbar visible, versteck hidden, versteckt hidden, verborgen hidden, öffentlich public,
privat private, geschützt protected, statisch static, dynamisch dynamic, abstrakt abstract, vererb inherit, vererbung
inheritance, ableit derive, abgeleitet derived, überschreib override, überladen overload, umgebung environment,
umgebungsvariable environment variable, heimverzeichnis home directory, arbeitsverzeichnis working directory, laufwerk
drive, platte disk, festplatte disk, netz network, adresse address, anschluss port, rechner host, gegenstelle peer,
nutzlast payload, rumpf body, körper body, titel title, überschrift heading, absatz paragraph, verknüpfung link,
verlink link, taste key, tastatur keyboard, maus mouse, klick click, auswahl selection, auswähl select, wähl select,
gewählt select, ausgewählt select, markier mark, hervorheb highlight, hervorhebung highlight, schriftart font,
großschreibung case, unterschied difference, unterscheid distinguish, gleich equal, ungleich unequal, ähnlich similar,
entsprech match, passt match, übereinstimm match, treffer match, ziel target, quelle source, herkunft origin, ursprung
origin, besitzer owner, eigentümer owner, zugriff access, zugreif access, gesperrt lock, angemeldet login, abmeld
logout, abmeldung logout, sicher secure, sicherheit security, sicherung backup, wiederherstell restore,
wiederherstellung restore, rückgängig undo, zurücksetz reset, zurückgesetzt reset, initialisier initialize, vorbereit
prepare, aufräum clean, aufgeräumt clean, bereinig clean, hintergrund background, vordergrund foreground, ausgang
exit, eingang input, hilfe help, hinweis hint, frage question, aufforderung prompt, eingabeaufforderung prompt,
verschick send, geschickt send, bekomm get, bekommt get, hol get, geholt fetch, abhol fetch, abruf fetch, setz set,
füll fill, gefüllt fill, voll full, schritt step, kette chain, stelle place, kosten cost, preis price, budget budget,
auslastung load, drossel throttle, gedrosselt throttle, durchsatz throughput, leistung performance, schnell fast,
langsam slow, nachverfolg trace, verfolg trace, verlauf history, geschichte history, vergangen past, übersetz
translate, übersetzung translation, sprach language, wort word, wörter word, satzzeichen punctuation, leerzeichen
space, zeilenumbruch newline, zeichensatz charset, ganzzahl integer, gleitkomma float, wahrheitswert boolean, nullwert
null, inhalt content, fortschritt progress, balken bar, zeichn draw, panik panic, erneuer renew, automatisch
automatic, auftrag job, aufträg job, eindeutig unique, einzigartig unique, fehlt missing, fehlen missing, entscheid
decide, entschieden decide, bestimm determine, festleg determine, ermittel determine, abschalt disable, ausschalt
disable, einschalt enable, neustart restart, strg ctrl, gefährlich unsafe, sauber clean, unterstütz support, vergeb
assign, erkenn detect, erkannt detect, lös resolve, auflös resolve, folg follow, verkett chain, einfüg insert, anhäng
append, ablehn reject, annehm accept, angenommen accept, verschachtel nested, ausgegeben print, einles read,
eingelesen read, ableg store, aufbewahr keep, verwalt manage, bewert score, auswert evaluate, durchsuch search,
einbett embed, umwandel convert, eingebunden include, passend match, zuordn map, zuordnung map, abbild map, abbildung
map, zugeordnet map, bearbeit edit, bearbeitung editing, speichern save, hochfahr start, herunterfahr shutdown,
herunterfahren shutdown, warn warn, bestätig confirm, bestätigung confirmation, abstand distance, rückmeldung
feedback, aufzeichn record, aufzeichnung recording, mitschreib log, mess measure, gemessen measure, messung
measurement, statistik statistics, übersicht overview, zusammenfassung summary, zusammenfass summarize, abschnitt
section, kapitel chapter, verweist refer, umbrech wrap, umbrochen wrap, umgebrochen wrap, einheit unit, vorgabe
default, voreinstellung default, rechn compute, zyklus cycle, zyklisch cyclic, endlos endless, unendlich infinite,
leit forward, anmeldedaten credentials, zugangsdaten credentials, zahlung payment, rechnung invoice, erhält get,
wartung maintenance, leitung line, zuweis assign, sichern save, gesichert save, neuen new, neuer new, neues new, älter
old, geschlossen close, geöffnet open, aktuell current`)

// germanStops say nothing about the subject of a question.
var germanStops = wordSet(`
wie wo wer was wann warum wieso weshalb womit wodurch woher wohin wozu welche welcher welches welchen welchem der
die das den dem des ein eine einen einem einer eines kein keine ist sind war wird werden wurde kann können könnte
muss müssen soll sollte darf würde ich du er sie es wir ihr man mir mich uns euch bitte mal denn eigentlich genau
hier da dort dies diese dieser dieses diesem und oder aber wenn falls ob dass damit um zu zum zur von vom mit ohne
für gegen bei beim nach vor aus auf an am in im ins über unter durch bis seit als auch nur noch schon nicht nichts
alle alles gibt geht gehen macht machen mache tut tun funktioniert funktionieren verwenden verwendet verwende
benutzen benutzt benutze nutzen nutzt nutze passiert geschieht hat haben habe sich selbst so dann projekt code repo
intern mein meine meinen beim jetzt lasse lassen lässt während immer wieder etwas jemand jede
jeder jedes jeden jedem mehr sehr sonst statt trotz
gegenüber innerhalb außerhalb zwischen dabei dafür davon dazu damit dagegen hinter neben worden sei seien wäre wegen
erfolgt erfolgen bestimmte bestimmten bestimmter bestimmtes folgende folgenden folgender neun weise welchem`)

// inGerman matches a word that only German has among those that open or carry a question.
var inGerman = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:wie|wo|wer|wann|warum|wieso|welche[rsnm]?|womit|wodurch|wird|` +
	`werden|ist|ich|kann|könn\pL*|muss|nicht|und|oder|eine[nrms]?|das|dem|für|über|bitte|beim|zum|zur|gibt|passiert|` +
	`funktioniert|geschieht|macht|wenn|während|noch|auf|nach|durch|sind|haben|` +
	`sich)(?:$|[^\pL])`)

// IsGerman reports whether a question is in German.
func IsGerman(text string) bool { return inGerman.MatchString(text) }

// germanEndings are what may follow a term of the table.
var germanEndings = []string{
	"", "e", "n", "en", "er", "es", "s", "t", "et", "te", "ung", "ungen", "end", "ern", "nen", "se", "sen",
	"ten", "tem", "ter", "tes",
}

// participleEndings are what may follow the term in a participle that begins with ge.
var participleEndings = []string{
	"t", "te", "ten", "tem", "ter", "tes", "et", "ete", "eten", "etem", "eter", "etes",
}

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

// separable are the parts of verbs that a participle has before its ge: abgeschaltet, of abschalten.
var separable = regexp.MustCompile(
	`^(ab|an|auf|aus|bei|ein|fest|frei|herunter|hinzu|hoch|mit|nach|um|vor|weg|weiter|zu|zurück|zusammen|zwischen)ge`)

// germanTerm returns the English words for a term with any ending, or "".
func germanTerm(w string) string {
	if m := separable.FindStringSubmatch(w); m != nil {
		if english := germanTerm(m[1] + w[len(m[0]):]); english != "" {
			return english
		}
	}
	if rest, ok := strings.CutPrefix(w, "ge"); ok && len(rest) > 4 {
		for _, ending := range participleEndings {
			if base, ok := strings.CutSuffix(rest, ending); ok && german[base] != "" {
				return german[base]
			}
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

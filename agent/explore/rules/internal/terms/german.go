package terms

import (
	"strings"
	"sync"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// german maps programmers' terms in German, without their endings, to the words that code and documents use.
var german = sync.OnceValue(func() map[string]string {
	return pairs(`
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
veröffentlich publish, bereitstell deploy, eigen custom, eigenen custom, sprache language, thema theme, vorlage
template, beispiel example, dokumentation documentation, anleitung guide, befehl command, befehlszeile command line,
kommandozeile command line, option option, schalter flag, parameter parameter, argument argument, funktion function,
methode method, klasse class, schnittstelle interface, typ type, variable variable, konstante constant, modul module,
paket package, bibliothek library, abhängigkeit dependency, erweiterung extension, plugin plugin, protokoll log,
protokollier log, ausgabe output, ausgeb print, eingabe input, druck print, zeig show, anzeig display, farbe color,
zeile line, spalte column, zeichen character, zeichenkette string, text text, liste list, such search, suche search,
find find, filter filter, sortier sort, zähl count, prüf check, überprüf check, validier validate, vergleich compare,
berechn compute, zufäll random, rundung round, format format, formatier format, umwandl convert, konvertier convert,
analysier parse, zerleg parse, serialisier serialize, hochlad upload, herunterlad download, send send, sende send,
empfang receive, empfäng receiver, weiterleitung redirect, umleitung redirect, umleit redirect, wiederhol retry,
versuch attempt, abbrech cancel, abbruch cancel, grenze limit, begrenz limit, höchst max, maximal max, minimal min,
größe size, länge length, anzahl number, dauer duration, zeit time, datum date, reihenfolge order, priorität
priority, ereignis event, rückruf callback, strom stream, streame stream, thread thread, prozess process,
warteschlange queue, aufgabe task, sitzung session, seite page, ansicht view, bild image, schrift font, fenster
window, netzwerk network, server server, dienst service, anwendung application, kopf header, kopfzeile header, gruppe
group, mitglied member, version version, lizenz license, beitrag contribution, beitrage contribute, beitragen
contribute, mitmach contribute, geheimnis secret, ignorier ignore, ausschließ exclude, einbind include, aktivier
enable, deaktivier disable, schließ close, öffn open, verhinder prevent, behandl handle, behandelt handle, verarbeit
process, registrier register, definier define, gesetzt set, gelesen read, geschrieben write, geladen load, gelöscht
delete, gesendet send, geparst parse, gefunden find, aufgebaut connect, abgelaufen expired, ungültig invalid, gültig
valid, leer empty, fehlend missing, doppelt duplicate, gleichzeitig concurrent, mehrere multiple, standard default,
erlaub allow, verbiet forbid, verboten forbidden, reservier reserve, kontext context, wart wait, warte wait, lauf
run, läuft run, laufend running, häng hang, hängt hang, blockier block, sperr lock, sperre lock, entsperr unlock,
freigeb release, freigegeben release, freigabe release, erreich reach, überschreit exceed, überschritten exceed,
überlauf overflow, absturz crash, abstürz crash, stürz crash, schleife loop, rekursion recursion, rekursiv recursive,
ebene level, stufe level, tiefe depth, breite width, höhe height, teil part, verteil distribute, aufteil split, trenn
separate, getrennt separate, verbunden connect, zusammenführ merge, vereinig merge, kopier copy, kopie copy,
verschieb move, verschoben move, klon clone, merk remember, vergess forget, erinner remind, melde report, bericht
report, wirf throw, wirft throw, geworfen throw, werf throw, fang catch, fängt catch, gefangen catch, abfang catch,
fehlschlag fail, fehlgeschlagen fail, scheiter fail, gescheitert fail, gelingt succeed, erfolg success, erfolgreich
success, zurückgeb return, zurückgegeben return, rückgabe return, rückgabewert return value, ruf call, aufruf call,
aufgerufen call, gerufen call, übergeb pass, übergeben pass, angeb specify, angegeben specify, nenn name, genannt
name, benannt name, name name, bezeichner identifier, bezeichnung name, kennung id, nummer number, zahl number, feld
field, element element, eintrag entry, einträge entry, eintragen register, objekt object, instanz instance, eltern
parent, wurzel root, knoten node, kante edge, baum tree, zweig branch, blatt leaf, zeiger pointer, verweis reference,
referenz reference, index index, stapel stack, haufen heap, puffer buffer, kanal channel, signal signal, sperrung
lock, faden thread, nebenläufig concurrent, parallel parallel, gleichzeitigkeit concurrency, arbeiter worker,
verzögerung delay, verzöger delay, pause pause, unterbrech interrupt, unterbrochen interrupt, abgebrochen cancel,
bricht cancel, beendet exit, fertig done, endet end, ende end, anfang begin, beginn begin, beginnt begin, erste
first, erster first, letzte last, letzter last, nächste next, nächster next, vorherig previous, neue new, neuest
newest, ältest oldest, größt largest, kleinst smallest, höchstens most, mindestens least, verwirf discard, verworfen
discard, verwerf discard, wegwerf discard, behalt keep, behält keep, bewahr keep, erhalt get, frist deadline, ablauf
flow, abläuf expire, gültigkeit validity, lebensdauer lifetime, zeitstempel timestamp, zeitpunkt time, uhrzeit time,
zuständ state, sekunde second, minute minute, stunde hour, zwischenstand state, zustand state, status status,
ereignisbehandlung
event handling, auslös trigger, ausgelöst trigger, abonnier subscribe, abonnent subscriber, veröffentlichung publish,
kodier encode, kodierung encoding, dekodier decode, entpack unpack, verpack pack, komprimier compress, kürz truncate,
gekürzt truncate, abschneid truncate, abgeschnitten truncate, umbruch wrap, einrück indent, einrückung indent,
maskier escape, ersetzung replacement, muster pattern, ausdruck expression, regulär regular, anweisung statement,
vereinbarung declaration, deklarier declare, zuweisung assignment, zugewiesen assign, bedingung condition, zähler
counter, summe sum, durchschnitt average, wahrscheinlich probability, gewicht weight, spalt column, bereich range,
umfang scope, gültigkeitsbereich scope, sichtbar visible, versteck hidden, versteckt hidden, verborgen hidden,
öffentlich public, privat private, geschützt protected, statisch static, dynamisch dynamic, abstrakt abstract, vererb
inherit, vererbung inheritance, ableit derive, abgeleitet derived, überschreib override, überladen overload, umgebung
environment, umgebungsvariable environment variable, heimverzeichnis home directory, arbeitsverzeichnis working
directory, laufwerk drive, platte disk, festplatte disk, netz network, adresse address, anschluss port, rechner host,
gegenstelle peer, nutzlast payload, rumpf body, körper body, titel title, überschrift heading, absatz paragraph,
verknüpfung link, verlink link, taste key, tastatur keyboard, maus mouse, klick click, auswahl selection, auswähl
select, wähl select, gewählt select, ausgewählt select, markier mark, hervorheb highlight, hervorhebung highlight,
schriftart font, großschreibung case, unterschied difference, unterscheid distinguish, ungleich unequal, ähnlich
similar, entsprech match, passt match, übereinstimm match, treffer match, ziel target, quelle source, herkunft
origin, ursprung origin, besitzer owner, eigentümer owner, zugriff access, zugreif access, gesperrt lock, angemeldet
login, abmeld logout, abmeldung logout, sicher secure, sicherheit security, sicherung backup, wiederherstell restore,
wiederherstellung restore, rückgängig undo, zurücksetz reset, zurückgesetzt reset, initialisier initialize, vorbereit
prepare, aufräum clean, aufgeräumt clean, bereinig clean, hintergrund background, vordergrund foreground, ausgang
exit, eingang input, hilfe help, hinweis hint, frage question, aufforderung prompt, eingabeaufforderung prompt,
verschick send, geschickt send, bekomm get, bekommt get, hol get, geholt fetch, abhol fetch, abruf fetch, setz set,
füll fill, gefüllt fill, voll full, schritt step, kette chain, kosten cost, preis price, budget budget, auslastung
load, drossel throttle, gedrosselt throttle, durchsatz throughput, leistung performance, schnell fast, langsam slow,
nachverfolg trace, verfolg trace, verlauf history, geschichte history, vergangen past, übersetz translate,
übersetzung translation, sprach language, wort word, wörter word, satzzeichen punctuation, leerzeichen space,
zeilenumbruch newline, zeichensatz charset, ganzzahl integer, gleitkomma float, wahrheitswert boolean, nullwert null,
inhalt content, fortschritt progress, balken bar, zeichn draw, panik panic, erneuer renew, automatisch automatic,
auftrag job, aufträg job, eindeutig unique, einzigartig unique, fehlt missing, fehlen missing, entscheid decide,
entschieden decide, bestimm determine, festleg determine, ermittel determine, abschalt disable, ausschalt disable,
einschalt enable, neustart restart, strg ctrl, gefährlich unsafe, sauber clean, unterstütz support, vergeb assign,
erkenn detect, erkannt detect, lös resolve, auflös resolve, folg follow, verkett chain, einfüg insert, anhäng append,
ablehn reject, annehm accept, angenommen accept, verschachtel nested, ausgegeben print, einles read, eingelesen read,
ableg store, aufbewahr keep, verwalt manage, bewert score, auswert evaluate, durchsuch search, einbett embed,
umwandel convert, eingebunden include, passend match, zuordn map, zuordnung map, abbild map, abbildung map,
zugeordnet map, bearbeit edit, bearbeitung editing, speichern save, hochfahr start, herunterfahr shutdown,
herunterfahren shutdown, warn warn, bestätig confirm, bestätigung confirmation, abstand distance, rückmeldung
feedback, aufzeichn record, aufzeichnung recording, mitschreib log, mess measure, gemessen measure, messung
measurement, statistik statistics, übersicht overview, zusammenfassung summary, zusammenfass summarize, abschnitt
section, kapitel chapter, verweist refer, umbrech wrap, umbrochen wrap, umgebrochen wrap, einheit unit, vorgabe
default, voreinstellung default, standardmäßig default, voreingestellt default, vorgegeben default, rechn compute, zyklus cycle, zyklisch cyclic, endlos endless, unendlich infinite,
leit forward, anmeldedaten credentials, zugangsdaten credentials, zahlung payment, rechnung invoice, erhält get,
wartung maintenance, leitung line, zuweis assign, sichern save, gesichert save, neuen new, neuer new, neues new,
älter old, geschlossen close, geöffnet open, aktuell current, eigene custom, weg route, liest read, ausles read,
auslesen read, schrieb write, rat guess, errat guess, erraten guess, rät guess, zusammenbau build, zusammengebaut
build, zusammensetz build, zusammengesetzt build, zusammenstell build, aufbau build, baut build, übergeordnet parent,
untergeordnet child, übergeordneten parent, berücksichtig consider, beacht respect, binär binary, einblend map,
eingeblendet map, speicherabbild memory map, arbeit work, durchlauf walk, durchlaufen walk, abgleich match,
abgeglichen match, verglichen compare, neu new, erneut retry, wiederverbind reconnect, wegbrech lost, weggebrochen
lost, abreiß lost, abgerissen lost, verlier lose, verlor lose, verloren lose, verlust loss, feststell detect,
festgestellt detect, bemerk detect, tot dead, lebend alive, lebenszeichen heartbeat, herzschlag heartbeat, forder
request, fordert request, anforder request, anforderung request, replikat replica, nachbild replica, teilweise
partial, partiell partial, vollständig full, vollem full, verdräng evict, verdrängt evict, verdrängung evict,
rauswerf evict, rauswirf evict, hinauswerf evict, rausgeworfen evict, kriterium criteria, kriterien criteria,
schrittweise incremental, stückweise incremental, inkrementell incremental, anpass resize, angepasst resize,
vergrößer grow, verkleiner shrink, wachs grow, wächst grow, schrumpf shrink, hashtabelle hash table, unterwegs
inflight, ausstehend pending, anstehend pending, offen open, zusammen join, route route, routen route, extrahier
extract, herauslös extract, entnehm take, entnommen take, nehm take, nimmt take, genommen take, beschränk limit,
einschränk limit, beschränkung limit, obergrenze limit, untergrenze limit, höchstgrenze limit, schranke limit,
wiederverwend reuse, wiederverwendung reuse, mehrfachnutzung reuse, ungenutzt idle, unbenutzt idle, untätig idle,
leerlauf idle, inaktiv idle, gecacht cache, cachen cache, cacht cache, gepuffert buffer, puffern buffer, transparent
transparent, herunterfähr shutdown, fähr shutdown, fährt shutdown, heruntergefahren shutdown, hochgefahren start,
verlorengeh lose, fällig due, fälligkeit due, teilaufgabe subtask, unteraufgabe subtask, anstoß trigger, angestoßen
trigger, anstößt trigger, weck wake, geweckt wake, schlaf sleep, schläf sleep, einschlaf sleep, tausch swap,
vertausch swap, austausch replace, ausgetauscht replace, aushandeln negotiate, ausgehandelt negotiate, verhandl
negotiate, aushandlung negotiate, handschlag handshake, stimm vote, abstimm vote, abstimmung vote, wahl election,
gewähl elect, anführer leader, leiter leader, mehrheit majority, kandidat candidate, mitläufer follower, gefolgs
follower, amtszeit term, rück back, zurückroll rollback, zurückgerollt rollback, rückroll rollback, transaktion
transaction, schnappschuss snapshot, abzug dump, freiliste freelist, frei free, freie free, belegt used, belegung
usage, verbrauch usage, verbraucht consume, verbraucher consumer, konsument consumer, erzeuger producer, produzent
producer, sammel collect, gesammelt collect, einsammel collect, sammlung collection, speicherbereinigung garbage
collect, müll garbage, säuber clean, entsorg dispose, wegräum cleanup, schicht layer, ebenen level, kern core, hülle
wrapper, umhüll wrap, einpack wrap, eingepackt wrap, einwickel wrap, verpackt pack, bündel bundle, gebündelt bundle,
bündl bundle, bindung binding, bind bind, gebunden bind, anbind bind, erb inherit, erbt inherit, unterklasse
subclass, oberklasse parent class, basisklasse base class, schablone template, platzhalter placeholder, joker
wildcard, weiterleit forward, weitergeleitet forward, weiterreich pass, weitergereicht pass, durchreich pass,
durchgereicht pass, weitergeb pass, weitergegeben pass, vermittl proxy, vermittler proxy, stellvertreter proxy, umgeh
bypass, umgang handle, ausnahm exception, abgefang catch, abgefangen intercept, abfäng intercept, einhak hook, haken
hook, einlogg login, auslogg logout, beglaubig authenticate, authentifizier authenticate, authentifizierung auth,
autorisier authorize, rolle role, recht permission, rechte permission, verweiger deny, verweigert deny, zurückweis
reject, zurückgewiesen reject, abgelehnt reject, abgewiesen reject, abweis reject, akzeptier accept, zulass allow,
zugelassen allow, zulässig allowed, unzulässig invalid, prüfsumme checksum, prüfung check, kontrollier check,
kontrolle control, steuer control, steuerung control, regel rule, regelt control, richtlinie policy, strategie
strategy, verfahren method, wahlweise optional, optional optional, pflicht required, erforderlich required, nötig
required, benötig require, brauch need, braucht need, vorhanden exist, existier exist, unbekannt unknown, bekannt
known, ungelesen unread, ungleichmäßig uneven, gleichmäßig even, ausgleich balance, ausbalancier balance,
lastverteilung load balance, last load, überlast overload, engpass bottleneck, rückstau backpressure, stau
congestion, warteschlang queue, einreih enqueue, eingereiht enqueue, reih queue, reihe row, zeilenende newline,
zeilenanfang line start, zeilenlänge line length, doppel double, anführungszeichen quote, klammer bracket, komma
comma, doppelpunkt colon, strichpunkt semicolon, semikolon semicolon, bindestrich hyphen, trennzeichen separator,
kommentar comment, kommentier comment, auskommentier comment, einleit begin, quelltext source, quellcode source,
syntaxbaum ast tree, baumstruktur tree, zerteil split, zerlegung parse, aufteilung split, geteilt split, teile part,
stück chunk, stücke chunk, block block, blöcke block, brocken chunk, häppchen chunk, rahmen frame, abbruchbedingung
stop condition, anweis statement, befehle command, bytecode bytecode, maschine machine, übersetzer compiler,
kompilierung compile, verlinkung link, lader loader, nachlad load, nachgeladen load, neulad reload, vorlad preload,
vorab pre, voraus ahead, vorausschau lookahead, rückschau lookbehind, rückwärts backward, vorwärts forward, umkehr
reverse, umgekehrt reverse, umdreh reverse, gedreht rotate, dreh rotate, rotier rotate, misch shuffle, gemischt mix,
sortierung sort, geordnet ordered, ordne order, ordnung order, rang rank, rangfolge rank, vorrang precedence,
bevorzug prefer, bevorzugt prefer, gewichtung weight, schwelle threshold, schwellwert threshold, schwellenwert
threshold, verhältnis ratio, anteil share, prozent percent, genauigkeit precision, ungefähr approximate, schätz
estimate, geschätzt estimate, gerundet round, aufrund round, abrund round, ganzzahlig integer, negativ negative,
positiv positive, vorzeichen sign, bruch fraction, teilbar divisible, dezimal decimal, ziffer digit, buchstabe
letter, kleinschreib lowercase, kleinbuchstabe lowercase, großbuchstabe uppercase, groß uppercase, zeichenkodierung
encoding, kodiert encode, umkodier encode, umwandlung conversion, umgewandelt convert, wandel convert, wandelt
convert, gewandelt convert, verwandel convert, umsetz convert, umgesetzt implement, einmalig once, mehrmals multiple,
wiederholt repeat, wiederholung retry, wiederholversuch retry, neuversuch retry, versuche attempt, fehlversuch
attempt, fehlerhaft invalid, kaputt broken, beschädig corrupt, beschädigt corrupt, verfälsch corrupt, sicherstell
ensure, sichergestellt ensure, gewährleist guarantee, gewährleistet guarantee, garantier guarantee, schütz protect,
schutz protect, absicher secure, abgesichert secure, angriff attack, schädlich malicious, bösartig malicious, vertrau
trust, vertrauenswürdig trusted, geheim secret, schwärz redact, geschwärzt redact, zensier redact, unkenntlich mask,
ausblend hide, ausgeblendet hide, darstell display, dargestellt display, darstellung render, gezeichnet draw, rendern
render, gerendert render, render render, aussehen style, stil style, gestalt style, anordnung layout, ausricht align,
ausgerichtet align, abschließ finish, abgeschlossen complete, fertigstell complete, vollend complete, erledig done,
erledigt done, abarbeit process, abgearbeitet process, ausgewertet evaluate, berechnung compute, errechn compute,
gezählt count, hochzähl increment, hochgezählt increment, erhöh increase, erhöht increase, verringer decrease, senk
decrease, mindest minimum, mittelwert mean, häufigkeit frequency, rate rate, takt interval, intervall interval,
abtast sample, stichprobe sample, zeitreihe series, zeitgeber timer, wecker timer, zeitplan schedule, planen
schedule, plan schedule, geplant schedule, einplan schedule, eingeplant schedule, terminier schedule, regelmäßig
periodic, wiederkehrend recurring, dauernd continuous, ständig continuous, bleib remain, übrig remaining, restlich
remaining, rest rest, aufheb keep, aufgehoben keep, behalten keep, festhalt keep, vorhalt keep, halten hold, hält
hold, gehalten hold, verwend use, stammverzeichnis root directory, unterverzeichnis subdirectory, elternverzeichnis
parent directory, dateisystem filesystem, dateiname filename, dateiendung extension, endung suffix, vorsilbe prefix,
präfix prefix, pfade path, temporär temporary, zwischenablage clipboard, zwischenergebnis intermediate result,
ergebnis result, ergebnisse result, rückgab return, liefer return, geliefert return, liefert return, abliefer
deliver, ausliefer serve, ausgeliefert serve, zustell deliver, zugestellt deliver, beliefer supply, bedien serve,
bereit ready, bereitgestellt provide, anbiet offer, anlauf start, gestartet start, angestoß start, beginnen begin,
begonnen begin, angefangen begin, fortsetz continue, fortgesetzt continue, weitermach continue, fortfahr continue,
wiederaufnehm resume, wiederaufgenommen resume, wiederaufnahme resume, anhalt stop, angehalten stop, stehenbleib
stop, abgestürzt crash, überleb survive, retten recover, gerettet recover, erhol recover, wiederhergestellt restore,
rückfall fallback, ausweich fallback, ersatz fallback, notfall emergency, untersuch inspect, beobacht observe,
überwach monitor, überwachung monitor, aufgezeichnet record, protokollierung logging, protokolliert log, gemeldet
report, meldet report, melden report, benachrichtig notify, benachrichtigung notification, informier notify, lausch
listen, horch listen, hör listen, angesprochen address, ansprech address, erreichbar reachable, unerreichbar
unreachable, verfügbar available, verfügbarkeit availability, auffind find, aufgefunden find, nachschlag lookup,
nachgeschlagen lookup, nachseh lookup, aufsuch find, heraussuch find, rausfind determine, herausfind determine,
herausgefunden determine, hinweg over, einzel single, gemeinsam shared, geteilte shared, teilen share, exklusiv
exclusive, getrennte separate, abgetrennt separate, losgelöst detached, entkoppel decouple, gekoppelt couple,
verkettung chain, aneinander join, verknüpf join, verknüpft join, zusammenfüg join, zusammengefügt join,
zusammengeführt merge, verschmelz merge, verschmolzen merge, gemergt merge, aggregier aggregate, gruppier group,
gruppiert group, einsortier sort, eingefügt insert, einfügung insert, hinzugefügt add, zugefügt add, angehängt
append, vorangestellt prepend, voranstell prepend, entfernt remove, entfernung distance, gestrichen remove, streich
remove, weggelassen omit, weglass omit, auslass skip, ausgelassen skip, überspring skip, übersprungen skip,
übergangen skip, ignoriert ignore, ausgeschlossen exclude, gefiltert filter, aussortier filter, siebt filter,
mehrteilig multipart, formular form, anhang attachment, anhänge attachment, zertifikate certificate, schlüsselpaar
key pair, verschlüsselung encryption, entschlüsselung decryption, unterschrift signature, unterzeichn sign, quittier
acknowledge, quittung ack, quittieren acknowledge, bestätigt acknowledge, belohn reward, ausfall failure, ausfäll
fail, ausgefallen fail, störung failure, misslingen fail, misslingt fail, misslungen fail, schiefgeh fail,
schiefgegangen fail, fehlschläg fail, meldungen message, betreff subject, kategorie category, sorte kind, art kind,
typen type, klammern bracket, verschachtelung nesting, tief deep, flach flat, abflach flatten, glätt smooth, glatt
smooth, verzweig branch, verzweigung branch, sprung jump, spring jump, springt jump, gesprungen jump, springen jump`)
})

// germanStops say nothing about the subject of a question.
var germanStops = wordSet(`
aber abhängig alle alles als am an andere anderem anderen anderer anderes anders anhand anschließend auch auf
aufgrund aus außerhalb bald bedeutet bedingungen bei beide beiden beides beim beispielsweise benutze benutzen benutzt
bestimmte bestimmten bestimmter bestimmtes beteiligt betreffen betrifft bevor beziehungsweise bezüglich bin bis bist
bitte bleibt bloß bzw circa code code-stelle da dabei dadurch dafür dagegen daher damit danach dann daran darauf darf
darin darum darüber das dass davon davor dazu dem den denen denn dennoch der deren derzeit des deshalb dessen dich
die dies diese diesem dieser dieses ding dinge dir direkt direkte dort dran drauf drin du durch dürfen eben
eigentlich ein eine einem einen einer eines einfach einige einigen einmal entlang entweder er erfolgen erfolgt erst
es etwa etwas euch euer extern fall falls fast findet folgende folgenden folgender folglich folgt früher
funktionieren funktioniert fälle fällen für ganz ganze ganzen gar gegen gegenüber gehen geht gekommen gemäß genau
genauer gerade gesamt gesamte gesamten geschieht gesehen gesorgt gewesen geworden gewusst gibt gleich habe haben hat
hatte hatten heißt her heraus hier hin hinaus hinsichtlich hinter hätte hätten häufig ich ihm ihn ihnen ihr ihre
ihrem ihren ihrer im immer in indem infolge innerhalb ins insgesamt intern irgendein irgendeine irgendwann irgendwie
irgendwo ist jede jedem jeden jeder jedes jedoch jemand jetzt jeweilige jeweiligen jeweils kann kannst kein keine
keinem keinen keiner keinerlei komm kommen kommt konkret konkrete können könnte könnten kümmern kümmert lange lasse
lassen laut letztlich liegen liegt logik los lässt mache machen macht mag mal man manchmal mechanismus mehr mehreren
mein meine meinen meint mich mir mit mittels momentan muss musste mussten möchte möchten möglich möglichkeit
möglichst müssen müsste nach nachdem nachher neben neun nicht nichts nie niemals niemand noch normal nur nutze nutzen
nutzt ob obwohl oder oft ohne ort orte passiert projekt raus rein repo rund sache sachen samt schauen schaut
schließlich schon sehen sehr sei seien sein seine seinem seinen seiner seines seit selbst sich sie sieht sind sitzt
so sobald sodass sofern sofort solange solche solcher solches soll sollen sollte sollten sondern sonst sorgen sorgt
sowie sowohl später statt stehen steht stelle stellen tatsächlich trotz trotzdem tun tut um umstände umständen und
uns unser unsere unter verantwortlich versteht verwende verwenden verwendet viel viele vielen vom von vor vorher wann
war waren warum was weder wegen weil weise weiß welch welche welchem welchen welcher welches wenige wenigen wenn wer
werde werden weshalb wichtig wie wieder wieso wieviel wieviele will wir wird wirklich wissen wo wobei wodurch wofür
woher wohin wohl wollen wollte womit wonach woran worauf woraus worden worin worum worüber wovon wozu wurde wurden
während wäre würde würden zb zeug zu zuerst zuletzt zum zunächst zur zustande zuständig zwar zweimal zwischen über
überhaupt`)

// inGerman matches a word that only German has among those that open or carry a question.
var inGerman = lazyregexp.New(`(?i)(?:^|[^\pL])(?:wie|wo|wer|wann|warum|wieso|welche[rsnm]?|womit|wodurch|wird|` +
	`werden|ist|ich|kann|kannst|könn\pL*|muss|nicht|und|oder|eine[nrms]?|das|dem|für|über|bitte|beim|zum|zur|gibt|passiert|` +
	`funktioniert|geschieht|macht|bedeutet|woher|woran|diese[nrms]?|wenn|während|noch|auf|nach|durch|sind|haben|` +
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

// separable are the parts of verbs that a participle has before its ge, and an infinitive before its zu: abgeschaltet
// and abzuschalten, of abschalten.
var separable = lazyregexp.New(
	`^(ab|an|auf|aus|bei|durch|ein|fest|frei|heraus|herunter|hinzu|hoch|los|mit|nach|um|vor|weg|weiter|wieder|zu|` +
		`zurück|zusammen|zwischen)(?:ge|zu)`)

// germanTerm returns the English words for a term with any ending, or "".
func germanTerm(w string) string {
	if m := separable.FindStringSubmatch(w); m != nil {
		if english := germanTerm(m[1] + w[len(m[0]):]); english != "" {
			return english
		}
	}
	if rest, ok := strings.CutPrefix(w, "ge"); ok && len(rest) > 4 {
		for _, ending := range participleEndings {
			if base, ok := strings.CutSuffix(rest, ending); ok && german()[base] != "" {
				return german()[base]
			}
		}
	}
	for _, ending := range germanEndings {
		if base, ok := strings.CutSuffix(w, ending); ok && german()[base] != "" {
			return german()[base]
		}
	}
	return loanword(w)
}

// loans are endings of words that German and English have from Latin, and what English has in their place. Verbs have
// many endings in English, so what precedes theirs must do.
var loans = []struct{ german, english string }{
	{"tionen", "tion"}, {"tion", "tion"}, {"sionen", "sion"}, {"sion", "sion"}, {"itäten", "ity"}, {"ität", "ity"},
	{"enzen", "ence"}, {"enz", "ence"}, {"anzen", "ance"}, {"anz", "ance"}, {"ierungen", ""}, {"ierung", ""},
	{"ieren", ""}, {"ierten", ""}, {"ierte", ""}, {"iert", ""}, {"iken", "ic"}, {"ik", "ic"}, {"ien", "y"}, {"ie", "y"},
	{"oren", "or"}, {"or", "or"},
}

const shortestLoan = 4 // letters before the ending

// spelledAsIn gives a word from Latin its English spelling.
var spelledAsIn = strings.NewReplacer("ck", "ck", "k", "c", "tz", "tz", "z", "c")

// loanword returns the English form of a word from Latin by its ending, or "".
func loanword(w string) string {
	for _, l := range loans {
		if base, ok := strings.CutSuffix(w, l.german); ok && len(base) >= shortestLoan && isPlain(base) {
			return spelledAsIn.Replace(base + l.english)
		}
	}
	return ""
}

// isPlain reports whether a word has none but the letters that English has, in lower case.
func isPlain(w string) bool {
	return strings.IndexFunc(w, func(c rune) bool { return c < 'a' || 'z' < c }) < 0
}

var germanWord = lazyregexp.New(`[\pL]+(?:['’]s)?`)

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

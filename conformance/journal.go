package conformance

import (
	"strconv"
	"strings"
	"sync"
)

// maxEvents is how many messages of one stream are kept for a client that does
// not read them. Older ones are lost.
const maxEvents = 10_000

// A journal is the messages of one legacy event stream, kept so that a client
// whose connection broke can have the rest. A request writes it, one HTTP
// response at a time reads it. It is safe for concurrent use.
type journal struct {
	id    string        // "" for a stream that can't be resumed
	muted chan struct{} // closed when there is no stream to write to

	mu      sync.Mutex
	events  [][]byte // the newest ones
	dropped int      // how many came before
	over    bool     // the last event, if any, is the response
	err     error
	hangups int
	reader  int
	sent    int           // events that a reader has written
	changed chan struct{} // closed and replaced by every change
}

func newJournal(id string) *journal {
	return &journal{id: id, muted: make(chan struct{}), changed: make(chan struct{})}
}

// update changes the journal and wakes its reader.
func (j *journal) update(change func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change()
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *journal) add(message []byte) {
	j.update(func() {
		if j.over {
			return
		}
		j.events = append(j.events, message)
		if len(j.events) > maxEvents {
			j.events, j.dropped = j.events[1:], j.dropped+1
		}
	})
}

// finish adds the response and ends the journal. Err is the error inside it.
func (j *journal) finish(response []byte, err error) {
	j.update(func() { j.events, j.over, j.err = append(j.events, response), true, err })
}

// mute gives up on everything but the response. Only the reader calls it.
func (j *journal) mute() {
	j.update(func() {
		if !j.over {
			j.events = nil
		}
	})
	close(j.muted)
}

// notify makes a journal the link of a Call.
func (j *journal) notify(method string, params any) {
	select {
	case <-j.muted:
	default:
		j.add(notification(method, params))
	}
}

func (j *journal) hangUp() {
	if j.id != "" {
		j.update(func() { j.hangups++ })
	}
}

// A seat is a reader's place: what had happened when it sat down.
type seat struct {
	reader, hangups int
}

// attach makes the caller the reader; an earlier one stops.
func (j *journal) attach() (s seat) {
	j.update(func() {
		j.reader++
		s = seat{j.reader, j.hangups}
	})
	return s
}

// wrote records that the first n events have gone out to a client.
func (j *journal) wrote(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sent = n
}

// unsent is where a reader starts that does not say what it has.
func (j *journal) unsent() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent
}

// A reading is what a reader finds.
type reading struct {
	events  [][]byte // not read yet
	first   int      // number of the first of them, from 0
	over    bool     // and nothing will follow
	err     error    // inside the response
	hungUp  bool     // the reader must stop
	changed <-chan struct{}
}

func (j *journal) read(from int, s seat) reading {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := min(max(from, j.dropped), j.dropped+len(j.events)) // a client may name any event
	return reading{
		events:  j.events[first-j.dropped:],
		first:   first,
		over:    j.over,
		err:     j.err,
		hungUp:  s != seat{j.reader, j.hangups},
		changed: j.changed,
	}
}

// eventID names the event that makes n events read. The id of no event at all
// is that of the priming event.
func (j *journal) eventID(n int) string {
	if j.id == "" {
		return ""
	}
	return j.id + "-" + strconv.Itoa(n)
}

// maxJournals is how many ended streams a session keeps for resuming.
const maxJournals = 100

// journals are the streams of a session, guarded by its mutex.
type journals struct {
	all     map[string]*journal
	order   []string
	counter int
}

// standingID names the journal of messages that belong to no request.
const standingID = "0"

func (s *session) newJournal() *journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journals.counter++
	return s.keepJournal(strconv.Itoa(s.journals.counter))
}

// standingJournal is what the GET stream reads.
func (s *session) standingJournal() *journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.journals.all[standingID]; j != nil {
		return j
	}
	return s.keepJournal(standingID)
}

func (s *session) keepJournal(id string) *journal {
	js := &s.journals
	if js.all == nil {
		js.all = make(map[string]*journal)
	}
	j := newJournal(id)
	js.all[id] = j
	if id != standingID {
		js.order = append(js.order, id)
	}
	if len(js.order) > maxJournals {
		delete(js.all, js.order[0])
		js.order = js.order[1:]
	}
	return j
}

// resume finds the journal of an event id and how much of it was read.
func (s *session) resume(eventID string) (j *journal, read int, ok bool) {
	id, count, _ := strings.Cut(eventID, "-")
	read, err := strconv.Atoi(count)
	s.mu.Lock()
	defer s.mu.Unlock()
	j = s.journals.all[id]
	return j, read, j != nil && err == nil && read >= 0
}

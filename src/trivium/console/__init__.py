"""Pages for people: plain HTML from the server, in every language there is a catalogue for."""

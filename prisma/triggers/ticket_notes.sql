CREATE TRIGGER ticket_note_told AFTER INSERT OR DELETE ON ticket_notes
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('ticket');

CREATE TRIGGER ticket_feedback_told AFTER INSERT OR UPDATE OR DELETE ON ticket_feedback
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('ticket');

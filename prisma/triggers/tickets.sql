CREATE TRIGGER ticket_told AFTER INSERT OR UPDATE ON tickets
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('ticket');

CREATE TRIGGER ticket_person_met AFTER INSERT ON tickets
  FOR EACH ROW EXECUTE FUNCTION meet_person('opened_by');

CREATE TRIGGER ticket_assigned AFTER UPDATE OF claimed_by ON tickets
  FOR EACH ROW WHEN (NEW.assigned_by IS NOT NULL AND NEW.claimed_by IS DISTINCT FROM OLD.claimed_by)
  EXECUTE FUNCTION follow_ticket();

CREATE TRIGGER ticket_close_asked AFTER UPDATE OF closes_at ON tickets
  FOR EACH ROW WHEN (NEW.closes_at IS NOT NULL AND NEW.closes_at IS DISTINCT FROM OLD.closes_at)
  EXECUTE FUNCTION follow_close_question();

CREATE CONSTRAINT TRIGGER ticket_hand AFTER INSERT OR UPDATE OR DELETE ON tickets DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('tickets.write', 'guild_id', 'claimed_by', 'assigned_by');

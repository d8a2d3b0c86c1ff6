CREATE TRIGGER ticket_told AFTER INSERT OR UPDATE ON tickets
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('ticket');

CREATE TRIGGER ticket_person_met AFTER INSERT ON tickets
  FOR EACH ROW EXECUTE FUNCTION meet_person('opened_by');

CREATE TRIGGER ticket_assigned AFTER UPDATE OF claimed_by ON tickets
  FOR EACH ROW WHEN (NEW.assigned_by IS NOT NULL AND NEW.claimed_by IS DISTINCT FROM OLD.claimed_by)
  EXECUTE FUNCTION follow_ticket();

CREATE CONSTRAINT TRIGGER ticket_hand AFTER INSERT OR UPDATE OR DELETE ON tickets DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('tickets.write', 'guild_id', 'claimed_by', 'assigned_by');

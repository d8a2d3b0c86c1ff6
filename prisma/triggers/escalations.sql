CREATE CONSTRAINT TRIGGER escalation_hand AFTER INSERT OR UPDATE OR DELETE ON escalations DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('strikes.write', 'guild_id');

CREATE CONSTRAINT TRIGGER escalation_by_person AFTER INSERT ON escalations DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_person();

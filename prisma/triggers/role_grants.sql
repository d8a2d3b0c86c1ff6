CREATE TRIGGER grant_told AFTER INSERT OR UPDATE OR DELETE ON role_grants
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER grant_hand AFTER INSERT OR UPDATE OR DELETE ON role_grants DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'granted_by');

CREATE CONSTRAINT TRIGGER grant_given AFTER INSERT OR UPDATE ON role_grants DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

CREATE TRIGGER window_told AFTER INSERT OR UPDATE ON windows
  FOR EACH ROW EXECUTE FUNCTION tell_of_consent('token_id');

CREATE TRIGGER window_bound BEFORE INSERT OR UPDATE ON windows
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION bound_window();

CREATE CONSTRAINT TRIGGER window_hand AFTER INSERT OR UPDATE OR DELETE ON windows DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'opened_by');

CREATE CONSTRAINT TRIGGER window_opened AFTER INSERT ON windows DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

CREATE CONSTRAINT TRIGGER window_opened_again AFTER UPDATE ON windows DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user) AND OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at)
  EXECUTE FUNCTION require_fresh_sign_in();

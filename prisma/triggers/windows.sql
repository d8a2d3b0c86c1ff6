CREATE CONSTRAINT TRIGGER window_hand AFTER INSERT OR UPDATE OR DELETE ON windows DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'opened_by');

CREATE TRIGGER import_told AFTER INSERT OR UPDATE OR DELETE ON imports
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER import_hand AFTER INSERT OR UPDATE OR DELETE ON imports DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'begun_by');

CREATE TRIGGER ticket_settings_told AFTER INSERT OR UPDATE ON ticket_settings
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER ticket_settings_hand AFTER INSERT OR UPDATE OR DELETE ON ticket_settings
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id');

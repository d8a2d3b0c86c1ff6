CREATE TRIGGER preset_told AFTER INSERT OR UPDATE OR DELETE ON reason_presets
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER preset_hand AFTER INSERT OR UPDATE OR DELETE ON reason_presets DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id');

CREATE TRIGGER preset_told AFTER INSERT OR UPDATE OR DELETE ON reason_presets
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

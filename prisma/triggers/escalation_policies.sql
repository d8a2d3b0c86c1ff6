CREATE TRIGGER escalation_told AFTER INSERT OR UPDATE OR DELETE ON escalation_policies
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

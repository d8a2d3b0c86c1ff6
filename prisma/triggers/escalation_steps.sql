CREATE TRIGGER escalation_step_told AFTER INSERT OR UPDATE OR DELETE ON escalation_steps
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

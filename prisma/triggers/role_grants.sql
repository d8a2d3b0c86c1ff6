CREATE TRIGGER grant_told AFTER INSERT OR UPDATE OR DELETE ON role_grants
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE TRIGGER escalation_told AFTER INSERT OR UPDATE OR DELETE ON escalation_policies
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

CREATE CONSTRAINT TRIGGER escalation_policy_hand AFTER INSERT OR UPDATE OR DELETE ON escalation_policies DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id');

CREATE CONSTRAINT TRIGGER escalation_policy_power AFTER INSERT OR UPDATE ON escalation_policies
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_fresh_sign_in();

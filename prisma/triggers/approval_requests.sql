-- The owner reads names, not ids (decisions: Approval requests).
CREATE TRIGGER subject_met AFTER INSERT ON approval_requests
  FOR EACH ROW WHEN (NEW.target_type IN ('user', 'strike', 'warning', 'case', 'appeal', 'report'))
  EXECUTE FUNCTION meet_subject();

CREATE TRIGGER channel_met AFTER INSERT ON approval_requests
  FOR EACH ROW WHEN (NEW.target_type = 'channel') EXECUTE FUNCTION meet_channel('target_id');

-- Only what a person decides. What time decides, a waiting caller sees itself.
CREATE TRIGGER decision_told AFTER UPDATE OF state, expires_at ON approval_requests
  FOR EACH ROW EXECUTE FUNCTION tell_of_consent('token_id');

CREATE CONSTRAINT TRIGGER approval_hand AFTER INSERT OR UPDATE OR DELETE ON approval_requests DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'decided_by');

CREATE CONSTRAINT TRIGGER call_approved AFTER UPDATE OF state ON approval_requests DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.state IN ('approved_call', 'approved_window') AND is_web(current_user))
  EXECUTE FUNCTION require_fresh_sign_in();

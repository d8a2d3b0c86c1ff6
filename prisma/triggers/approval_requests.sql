-- The owner reads names, not ids (decisions: Approval requests).
CREATE TRIGGER target_met AFTER INSERT ON approval_requests
  FOR EACH ROW WHEN (NEW.target_type = 'user') EXECUTE FUNCTION meet_person('target_id');

CREATE TRIGGER channel_met AFTER INSERT ON approval_requests
  FOR EACH ROW WHEN (NEW.target_type = 'channel') EXECUTE FUNCTION meet_channel();

CREATE CONSTRAINT TRIGGER approval_hand AFTER INSERT OR UPDATE OR DELETE ON approval_requests DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('owner', 'guild_id', 'decided_by');

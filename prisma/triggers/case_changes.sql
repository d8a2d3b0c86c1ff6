CREATE TRIGGER case_change_followed AFTER INSERT ON case_changes
  FOR EACH ROW EXECUTE FUNCTION follow_changed_case();

CREATE CONSTRAINT TRIGGER case_change_hand AFTER INSERT OR UPDATE OR DELETE ON case_changes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('case', 'guild_id', 'changed_by');

CREATE TRIGGER case_link_told AFTER INSERT OR DELETE ON case_links
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('case');

CREATE CONSTRAINT TRIGGER case_link_hand AFTER INSERT OR UPDATE OR DELETE ON case_links DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('case_link', 'guild_id', 'linked_by');

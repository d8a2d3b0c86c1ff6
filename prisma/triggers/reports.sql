CREATE TRIGGER report_told AFTER INSERT OR UPDATE ON reports
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('report');

CREATE TRIGGER report_people_met AFTER INSERT ON reports
  FOR EACH ROW EXECUTE FUNCTION meet_person('user_id', 'reported_by');

CREATE TRIGGER report_made_followed AFTER INSERT ON reports
  FOR EACH ROW EXECUTE FUNCTION follow_report();

CREATE TRIGGER report_followed AFTER UPDATE OF status ON reports
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION follow_report();

CREATE CONSTRAINT TRIGGER report_hand AFTER INSERT OR UPDATE OR DELETE ON reports DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('reports.write', 'guild_id', 'claimed_by', 'closed_by');

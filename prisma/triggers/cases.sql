-- Jobs for a case that is opened or ended.
CREATE TRIGGER case_told AFTER INSERT OR UPDATE ON cases
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('case');

CREATE TRIGGER case_person_met AFTER INSERT ON cases
  FOR EACH ROW EXECUTE FUNCTION meet_person('user_id');

CREATE TRIGGER cases_opened_followed AFTER INSERT ON cases REFERENCING NEW TABLE AS opened
  FOR EACH STATEMENT EXECUTE FUNCTION follow_opened_cases();

CREATE TRIGGER case_ended_followed AFTER UPDATE OF ended_at ON cases
  FOR EACH ROW WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION follow_ended_case();

CREATE CONSTRAINT TRIGGER case_hand AFTER INSERT OR UPDATE OR DELETE ON cases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('case', 'guild_id', 'issued_by', 'ended_by');

CREATE TRIGGER case_admitted BEFORE INSERT OR UPDATE OF ended_at ON cases
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_admitted_case();

-- At the end of the transaction, because a case that replaces another one is opened after that has ended.
CREATE CONSTRAINT TRIGGER case_appeal_settled AFTER UPDATE OF ended_at ON cases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION settle_appeal();

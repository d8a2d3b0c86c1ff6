CREATE TRIGGER note_told AFTER INSERT OR UPDATE OR DELETE ON notes
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('note');

CREATE TRIGGER note_person_met AFTER INSERT ON notes
  FOR EACH ROW EXECUTE FUNCTION meet_person('user_id');

CREATE CONSTRAINT TRIGGER note_hand AFTER INSERT OR UPDATE OR DELETE ON notes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('strikes.write', 'guild_id', 'written_by');

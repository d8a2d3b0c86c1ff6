CREATE CONSTRAINT TRIGGER counter_hand AFTER INSERT OR UPDATE OR DELETE ON guild_counters DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_web(current_user)) EXECUTE FUNCTION require_hand('strikes.write', 'guild_id');

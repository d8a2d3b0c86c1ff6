#!/bin/sh
# Makes the secrets of compose.yaml, each in a file of ./secrets. What is there already stays as it is.
set -eu
umask 077
mkdir -p secrets
cd secrets

random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { if [ ! -s "$1" ]; then printf '%s\n' "$2" >"$1"; fi; }

keep postgres_password "$(password)"
keep database_url "postgresql://bailiff:$(password)@postgres:5432/bailiff"
keep database_bot_url "postgresql://bailiff_bot:$(password)@postgres:5432/bailiff"
keep database_web_url "postgresql://bailiff_web:$(password)@postgres:5432/bailiff"
keep nextauth_secret "$(random)"
keep secrets_key "$(random)"
for name in discord_token discord_client_secret; do
  if [ ! -e "$name" ]; then : >"$name"; fi
  if [ ! -s "$name" ]; then echo "Write the ${name#discord_} of your Discord application into secrets/$name."; fi
done
# Containers read the files as users of their own. On this machine the folder keeps others out.
chmod 444 ./*
chmod 644 discord_token discord_client_secret

#!/usr/bin/env bash
# Makes the fixtures of this folder with an older eke:
#
#	CGO_ENABLED=0 go build -trimpath -o /tmp/eke ./cmd/eke   # in a checkout of that version
#	unshare --uts sh -c 'hostname lab; testdata/v0/make.sh /tmp/eke'
#
# The host's name is part of a worker's, hence the namespace. Everything happens in /lab, a path that says nothing of a machine.
set -euo pipefail
eke=$1
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
export PATH="/lab/bin:$PATH"
rm -rf /lab
mkdir -p /lab/bin
cp "$eke" /lab/bin/eke

# until COMMAND…: waits for it to succeed.
until_() { for _ in $(seq 600); do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.05; done; echo "in vain: $*" >&2; exit 1; }
running() { # STUDY TRIAL…: these trials run
	local study=$1 trial
	shift
	for trial; do eke --json trials "$study" --state running | grep -q "\"number\": $trial," || return 1; done
}
expect() { # FOLDER STUDY…: what the old version says of its studies
	local folder=$1 study
	shift
	mkdir -p "$folder"
	for study; do
		eke --json status "$study" >"$folder/$study.status.json"
		eke --json trials "$study" >"$folder/$study.trials.json"
		eke export "$study" --format csv >"$folder/$study.csv"
	done
	eke --json studies >"$folder/studies.json"
}
serve() { # starts a server; its address is in $url
	eke serve --listen 127.0.0.1:0 --quiet >serve.out 2>serve.err &
	server=$!
	until_ grep -q '^the page' serve.out
	url=$(sed -n 's,^the page: \(.*\)/$,\1,p' serve.out)
}

# --- eke run and eke ask, with runners that are killed ---
mkdir /lab/tool && cd /lab/tool
cp "$here"/{kiln,oven,glass}.yaml "$here"/{fire,bake}.sh .
eke run kiln.yaml >/dev/null & run=$!
until_ running kiln 9 10
kill -KILL $run; wait $run || true
eke run kiln.yaml >/dev/null & run=$!
until_ running kiln 16 17
until_ test -e eke.trials/kiln/00016/result.json
kill -KILL $run; wait $run || true
eke run kiln.yaml --parallel 3 >/dev/null & run=$!
until_ running kiln 18 19 20
# The store is held, so that the end of a trial gets no further than the journal.
python3 -c 'import sqlite3, time; c = sqlite3.connect("eke.db", isolation_level=None); c.execute("BEGIN IMMEDIATE"); print("held", flush=True); time.sleep(100)' >held & holder=$!
until_ grep -q held held
until_ test -e eke.trials/kiln/00018/outcome.json
until_ test -e eke.trials/kiln/00020/result.json
kill -KILL $run; wait $run || true
kill $holder; wait $holder || true
eke ask kiln.yaml >/dev/null
eke budget add kiln 5 >/dev/null

eke run oven.yaml >/dev/null || true

eke ask glass.yaml --n 3 >/dev/null
eke tell glass 1 --value 0.7 --cost 2.5 >/dev/null
eke tell glass 2 --failed --cost 1 --note 'it cracked' >/dev/null
eke tell glass 3 --abandon >/dev/null
for value in 0.5 0.6 0.4; do
	eke ask glass >/dev/null
	eke tell glass "$(eke --json trials glass | grep -c '"number"')" --value $value --cost 1.5 >/dev/null
done
eke ask glass >/dev/null
serve
curl -sf -X POST "$url/api/v1/studies/glass/end" >/dev/null
kill -INT $server; wait $server || true
expect "$here/tool" kiln oven glass
rm -f serve.out serve.err held

# --- eke serve and eke worker, on both stores ---
service() { # FOLDER: the same on whatever store $EKE_DB names
	mkdir "$1" && cd "$1"
	cp "$here"/{kiln,glass}.yaml "$here"/fire.sh .
	(umask 077; eke token new --role worker --name lab >token; eke token new --role admin --name ada >admin)
	eke token new --role reader --name gone >/dev/null
	eke token revoke "$(eke token list | awk '$NF == "gone" { print $1 }')" >/dev/null
	serve
	curl -sf -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/yaml' --data-binary @glass.yaml "$url/api/v1/studies" >/dev/null
	sed 's/^command:.*/command: [sh, fire.sh]\nworkdir: \/lab\/'"$(basename "$1")"'/' kiln.yaml |
		curl -sf -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/yaml' --data-binary @- "$url/api/v1/studies" >/dev/null
	curl -sf -H "Authorization: Bearer $(cat admin)" -H 'Content-Type: application/json' -d '{"by_hand": true}' "$url/api/v1/studies/glass/ask" >/dev/null
	eke worker --server "$url" --study kiln --token-file token --parallel 2 >/dev/null & work=$!
	until_ running kiln 9 10
	kill -KILL $work; wait $work || true
	eke worker --server "$url" --study kiln --token-file token --parallel 3 >/dev/null & work=$!
	until_ running kiln 17 19
	# A second one dies while it asks.
	eke worker --server "$url" --study kiln --token-file token >/dev/null & second=$!
	until_ sh -c 'test "$(ls eke.worker/kiln/seat-*/journal/*.json | wc -l)" = 4'
	kill -KILL $second; wait $second || true
	kill -INT $server; wait $server || true
	# Without a server the result of a trial stays in the journal.
	until_ sh -c 'grep -l outcome eke.worker/kiln/seat-*/journal/*.json'
	kill -KILL $work; wait $work || true
	rm -f serve.out serve.err
	expect "$2" kiln glass
}
service /lab/service "$here/service"
cd /lab
tar -c --owner=0 --group=0 --numeric-owner --sort=name tool service | gzip -9n >"$here/sqlite.tar.gz"
eval "$("$repository/scripts/postgres" start /lab/pg)"
EKE_DB=$EKE_TEST_POSTGRES service /lab/shared "$here/shared"
pg_dump --inserts --no-owner --no-privileges "$EKE_TEST_POSTGRES" | grep -v '^\\\(un\)\?restrict' | gzip -9n >"$here/postgres.sql.gz"
"$repository/scripts/postgres" stop /lab/pg
cd /lab
tar -c --owner=0 --group=0 --numeric-owner --sort=name shared | gzip -9n >"$here/shared.tar.gz"
rm -rf /lab

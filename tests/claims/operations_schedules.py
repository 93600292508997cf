"""The scheduler: its jobs, their intervals, expiry of searches, and edits that stay."""

import time

from harness import Row, Service, claim, equal, eventually, expect

SETTINGS = {"SVC_EXPIRE_EVERY": "1", "SVC_SUBSCRIBE_EVERY": "7200"}


def schedules(client):
    return {each["name"]: each for each in client.get("/svc/schedules/").expect(200).json()}


@claim("ai-cache 3.5", rows=[Row(name, (name,)) for name in ["expire", "subscribe", "sweep_bodies", "reconcile_tasks"]])
def a_job_is_listed(service, name):
    found = schedules(service.admin)
    expect(name in found, "listed", sorted(found))
    equal({key: type(found[name][key]).__name__ for key in ["every_seconds", "next_run", "enabled"]},
          {"every_seconds": "int", "next_run": "str", "enabled": "bool"})  # fmt: skip


@claim("settings: intervals", rows=[Row(name, (name, seconds)) for name, seconds in [("expire", 1), ("subscribe", 7200)]])
def a_setting_decides_the_interval_at_the_first_start(service, name, seconds):
    equal(schedules(service.admin)[name]["every_seconds"], seconds)


@claim("ai-cache 3.5: defaults", rows=[Row(name, (name, seconds)) for name, seconds in [
    ("subscribe", 4 * 3600), ("expire", 60), ("sweep_bodies", 86_400),
]])  # fmt: skip
def jobs_have_default_intervals(service, name, seconds):
    with Service(service.program) as other:
        equal(schedules(other.admin)[name]["every_seconds"], seconds)


@claim("ai-cache 3.5: schedules are kept over restarts")
def an_edited_schedule_stays(service):
    with Service(service.program, {"SVC_SUBSCRIBE_EVERY": "7200"}) as other:
        changed = other.admin.patch("/svc/schedules/subscribe/", {"every_seconds": 900, "enabled": False}).expect(200).json()
        equal((changed["every_seconds"], changed["enabled"]), (900, False))
        other.stop()
        other.start()
        found = schedules(other.admin)["subscribe"]
        equal((found["every_seconds"], found["enabled"]), (900, False))


@claim("decisions 3.1: schedules", rows=[Row(str(body), (body, status)) for body, status in [
    ({"every_seconds": 0}, 400), ({"every_seconds": -5}, 400), ({"every_seconds": "often"}, 400), ({"enabled": "yes"}, 400), ([], 400),
]])  # fmt: skip
def an_invalid_schedule_is_refused(service, body, status):
    service.admin.patch("/svc/schedules/expire/", body).expect(status)


@claim("decisions 3.1: schedules")
def an_unknown_schedule_is_404(service):
    service.admin.get("/svc/schedules/nothing/").expect(404)
    service.admin.patch("/svc/schedules/nothing/", {"enabled": False}).expect(404)
    service.admin.call("DELETE", "/svc/schedules/expire/").expect(405)


@claim("ai-cache 3.5: expire runs")
def the_scheduler_runs_what_is_due(service):
    first = eventually(lambda: schedules(service.admin)["expire"].get("last_run"), 15, "never run")
    eventually(lambda: schedules(service.admin)["expire"]["last_run"] > first, 15, "not run again")


@claim("ai-cache 3.5: a disabled job does not run")
def a_disabled_job_does_not_run(service):
    with Service(service.program, {"SVC_EXPIRE_EVERY": "1"}) as other:
        eventually(lambda: schedules(other.admin)["expire"].get("last_run"), 15, "never run")
        other.admin.patch("/svc/schedules/expire/", {"enabled": False}).expect(200)
        time.sleep(1)
        last = schedules(other.admin)["expire"]["last_run"]
        time.sleep(3)
        equal(schedules(other.admin)["expire"]["last_run"], last)


@claim("decisions 5: one scheduler at a time")
def two_processes_share_one_scheduler(service):
    import subprocess

    from harness import free_port

    environment = {**service.environment, "SVC_PORT": str(free_port())}
    other = subprocess.Popen([service.program, "serve", "--roles", "beat"], cwd=service.folder, env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        before = schedules(service.admin)["expire"]["last_run"]
        eventually(lambda: schedules(service.admin)["expire"]["last_run"] > before, 20, "it stopped")
        text = (service.data / "logs" / "tasks-beats.log").read_text()
        starts = [line[:40] for line in text.splitlines() if "expire" in line]
        expect(len(starts) == len(set(starts)), "each run once", starts[-10:])
    finally:
        other.terminate()
        other.wait(40)

"""How the processes of a whole run share the tests, where there are several (pytest-xdist)."""

from xdist.scheduler import LoadFileScheduling


class BothEnds(LoadFileScheduling):
    """Files are handed out from both ends: every other process begins at the last one.

    In front are those that wait for processes of their own, at the end those that compute: so at
    any time some wait while others compute, and no processor is idle. What is looked up for each
    test is kept, too: the class above searches the list of all tests for each of them.
    """

    def __init__(self, config, log=None):
        super().__init__(config, log)
        self._places = None

    def _assign_work_unit(self, node):
        if self._places is None:
            self._places = {name: place for place, name in enumerate(self.collection)}
        at_the_end = int(node.gateway.id.removeprefix("gw")) % 2 == 1
        scope, unit = self.workqueue.popitem(last=at_the_end)
        self.assigned_work.setdefault(node, {})[scope] = unit
        node.send_runtest_some([self._places[name] for name, done in unit.items() if not done])

    def _pending_of(self, workload):
        for scope in [scope for scope, unit in workload.items() if all(unit.values())]:
            del workload[scope]
        return super()._pending_of(workload)


def tell_less(config):
    """Have a process tell of a test what the run shows: how it went, and what went wrong.

    It would tell six things of each, of tens of thousands, and the one process that listens takes
    as long for them as the tests of a whole folder. All are told where somebody asks how long
    everything takes.
    """
    if not hasattr(config, "workerinput") or config.getoption("durations") is not None:
        return
    (teller,) = (
        each
        for each in config.pluginmanager.get_plugins()
        if type(each).__name__ == "WorkerInteractor"
    )
    tell = teller.sendevent

    def sendevent(name, **told):
        if name in ("logstart", "logfinish"):
            return
        report = told.get("data", {})
        if name == "testreport" and report["when"] != "call" and report["outcome"] == "passed":
            return
        tell(name, **told)

    teller.sendevent = sendevent

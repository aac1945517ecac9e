"""How work becomes execution regions and waves.

`partitioner.py` puts ops into partitions (`partition.py`; `partition_fault.py` says which ones
the compiler refuses), `outline.py` makes regions of them and `schedule.py` is the whole of
`iree-stream-schedule-execution`; `waves.py` and `concurrency.py` are
`iree-stream-schedule-concurrency`.
"""

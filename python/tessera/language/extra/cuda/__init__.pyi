"""tl.extra.cuda: what NVIDIA's devices alone have."""

from typing import List

from . import gdc as gdc
from . import libdevice as libdevice
from . import utils as utils
from .gdc import gdc_launch_dependents as gdc_launch_dependents
from .gdc import gdc_wait as gdc_wait
from .utils import convert_custom_float8_sm70 as convert_custom_float8_sm70
from .utils import convert_custom_float8_sm80 as convert_custom_float8_sm80
from .utils import globaltimer as globaltimer
from .utils import num_threads as num_threads
from .utils import num_warps as num_warps
from .utils import smid as smid

__all__: List[str]

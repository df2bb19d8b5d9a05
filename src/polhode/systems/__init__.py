"""Systems: what moves. One physical system per class, whose file is read when the class is first asked for (`__init__.pyi`
says which file that is)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

cores  = 4
memory = 4096
disk   = 20
tags   = ["first", "second"]

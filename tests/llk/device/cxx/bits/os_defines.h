// libstdc++'s settings for the host's operating system: there is none.

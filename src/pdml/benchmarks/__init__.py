"""The plain counterparts of what is fast, and the measurements that compare them."""

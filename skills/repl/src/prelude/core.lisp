;;;; Backquote, and the macros that everything else is written with.

(defun %backquote (form depth)
  (cond ((simple-vector-p form)
         (list 'apply '(function vector) (%backquote (%items form) depth)))
        ((or (keywordp form) (null form) (numberp form) (stringp form)) form)
        ((atom form) (list 'quote form))
        ((eq (car form) 'unquote)
         (if (= depth 1)
             (cadr form)
             (list 'list ''unquote (%backquote (cadr form) (1- depth)))))
        ((eq (car form) 'quasiquote)
         (list 'list ''quasiquote (%backquote (cadr form) (1+ depth))))
        ((and (consp (car form)) (eq (caar form) 'unquote-splicing) (= depth 1))
         (if (cdr form)
             (list 'append (cadar form) (%backquote (cdr form) depth))
             (cadar form)))
        (t (list 'cons (%backquote (car form) depth) (%backquote (cdr form) depth)))))

(defmacro quasiquote (form) (%backquote form 1))

(defmacro return (&optional value) `(return-from nil ,value))

(defmacro prog1 (first &body body)
  (let ((value (gensym)))
    `(let ((,value ,first)) ,@body ,value)))

(defmacro prog2 (first second &body body)
  `(progn ,first (prog1 ,second ,@body)))

(defmacro case (key &body clauses)
  (let ((value (gensym)))
    `(let ((,value ,key))
       (cond ,@(%case-clauses value clauses)))))

(defun %case-clauses (value clauses)
  (if clauses
      (let ((keys (caar clauses)) (body (or (cdar clauses) '(nil))))
        (cons (cons (cond ((and (member keys '(t otherwise)) (null (cdr clauses))) t)
                          ((consp keys)
                           (if (cdr keys)
                               `(%member-eql ,value ',keys)
                               `(eql ,value ',(car keys))))
                          ((null keys) nil)
                          (t `(eql ,value ',keys)))
                    body)
              (%case-clauses value (cdr clauses))))))

(defmacro ecase (key &body clauses)
  (let ((value (gensym)))
    `(let ((,value ,key))
       (case ,value
         ,@clauses
         (otherwise (error "~S fell through ECASE expression. Wanted one of ~S."
                           ,value ',(mapcar #'car clauses)))))))

(defmacro dotimes ((variable count &optional result) &body body)
  (let ((limit (gensym)) (top (gensym)))
    `(block nil
       (let ((,variable 0) (,limit ,count))
         (tagbody
            ,top
            (if (>= ,variable ,limit) (return-from nil ,result))
            (progn ,@body)
            (setq ,variable (1+ ,variable))
            (go ,top))))))

(defmacro dolist ((variable list &optional result) &body body)
  (let ((rest (gensym)) (top (gensym)))
    `(block nil
       (let ((,rest ,list))
         (tagbody
            ,top
            (if (endp ,rest)
                (return-from nil ,(if result `(let ((,variable nil)) ,variable ,result))))
            (let ((,variable (car ,rest))) ,@body)
            (setq ,rest (cdr ,rest))
            (go ,top))))))

(defun %step-forms (variables)
  (let ((steps nil))
    (dolist (variable variables (reverse steps))
      (if (and (consp variable) (cddr variable))
          (setq steps (list* (caddr variable) (car variable) steps))))))

(defun %do-bindings (variables)
  (mapcar (lambda (variable)
            (if (consp variable) (list (car variable) (cadr variable)) (list variable nil)))
          variables))

(defun %do (let-form set-form variables end body)
  (let ((top (gensym)))
    `(block nil
       (,let-form ,(%do-bindings variables)
         (tagbody
            ,top
            (if ,(car end) (return-from nil (progn ,@(cdr end))))
            (progn ,@body)
            (,set-form ,@(%step-forms variables))
            (go ,top))))))

(defmacro do (variables end &body body) (%do 'let 'psetq variables end body))
(defmacro do* (variables end &body body) (%do 'let* 'setq variables end body))

(defmacro prog (variables &body body)
  `(block nil (let ,variables (tagbody ,@body))))

(defmacro psetq (&rest pairs)
  (if (cddr pairs)
      (let ((names nil) (bindings nil) (at pairs))
        (tagbody
           top
           (if at
               (let ((value (gensym)))
                 (setq names (list* value (car at) names))
                 (setq bindings (cons (list value (cadr at)) bindings))
                 (setq at (cddr at))
                 (go top))))
        `(let ,(reverse bindings) (setq ,@(reverse names)) nil))
      `(progn (setq ,@pairs) nil)))

(defmacro multiple-value-bind (variables form &body body)
  `(destructuring-bind (&optional ,@variables &rest ,(gensym)) (multiple-value-list ,form) ,@body))

(defmacro multiple-value-setq (variables form)
  (let ((values (mapcar (lambda (variable) (gensym)) variables)))
    `(multiple-value-bind ,values ,form
       (setq ,@(mapcan #'list variables values))
       ,(car values))))

(defmacro multiple-value-prog1 (form &body body)
  (let ((values (gensym)))
    `(let ((,values (multiple-value-list ,form))) ,@body (values-list ,values))))

(defmacro multiple-value-call (function &rest forms)
  `(apply ,function (append ,@(mapcar (lambda (form) `(multiple-value-list ,form)) forms))))

(defmacro nth-value (n form) `(nth ,n (multiple-value-list ,form)))

(defun %any-null (lists)
  (dolist (list lists) (if (endp list) (return t))))

(defun %cars (lists) (mapcar #'car lists))
(defun %cdrs (lists) (mapcar #'cdr lists))

(defun mapcar (function list &rest more)
  (let ((result nil) (lists (if more (cons list more))))
    (tagbody
       top
       (if lists
           (if (%any-null lists)
               nil
               (progn
                 (setq result (cons (apply function (%cars lists)) result))
                 (setq lists (%cdrs lists))
                 (go top)))
           (if (endp list)
               nil
               (progn
                 (setq result (cons (funcall function (car list)) result))
                 (setq list (cdr list))
                 (go top)))))
    (nreverse result)))

(defun member (item list &key test key)
  (if (or test key)
      (let ((test (or test #'eql)))
        (do ((rest list (cdr rest)))
            ((endp rest) nil)
          (if (funcall test item (if key (funcall key (car rest)) (car rest)))
              (return rest))))
      (%member-eql item list)))
